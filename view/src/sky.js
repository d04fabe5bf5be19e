// The sky behind everything: it grows from the horizon to the zenith, as in pictures. One triangle that covers the screen.
import * as THREE from "three";

const vertex = `
  uniform mat4 unproject;
  varying vec3 seen;
  void main() {
    gl_Position = vec4(position.xy, 1.0, 1.0);
    vec4 far = unproject * vec4(position.xy, 1.0, 1.0), near = unproject * vec4(position.xy, -1.0, 1.0);
    seen = far.xyz / far.w - near.xyz / near.w;
  }`;
const fragment = `
  uniform vec3 up, horizon, zenith;
  varying vec3 seen;
  void main() {
    float height = clamp(dot(normalize(seen), up), 0.0, 1.0);
    gl_FragColor = vec4(mix(horizon, zenith, 1.0 - pow(1.0 - height, 2.0)), 1.0);
    #include <colorspace_fragment>
  }`;

export class Sky {
  constructor(up) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
    this.uniforms = { up, unproject: { value: new THREE.Matrix4() }, horizon: { value: new THREE.Color() }, zenith: { value: new THREE.Color() } };
    const material = new THREE.ShaderMaterial({ vertexShader: vertex, fragmentShader: fragment, uniforms: this.uniforms, depthTest: false, depthWrite: false });
    this.object = new THREE.Mesh(geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = -1;
    this.object.onBeforeRender = (renderer, scene, camera) => {
      this.uniforms.unproject.value.copy(camera.matrixWorld).multiply(camera.projectionMatrixInverse);
    };
  }

  setColours(horizon, zenith) {
    this.uniforms.horizon.value.set(horizon);
    this.uniforms.zenith.value.set(zenith);
  }
}
