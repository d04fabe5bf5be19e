// Ambient occlusion: how much of the light from all around reaches a point of the picture. Depths are drawn first; each
// point then asks others around it on the screen how far they rise above its tangent plane ("Alchemy", McGuire and others
// 2011); a blur that keeps edges takes away the noise. Materials read the result at their pixel (material.js), so that
// marks, the grid and the edges of bodies stay as they are.
import * as THREE from "three";

const SAMPLES = 12, TURNS = 5;
const SHARE = 0.5; // of the picture's width and height
const REACH = 0.09; // of the scene's radius, at most, and ...
const BODY = 0.9; // ... of the size of bodies
const LAYER = 1; // of what has depth

const vertex = `
  uniform vec4 part;
  varying vec2 at;
  void main() {
    at = part.xy + part.zw * (0.5 * position.xy + 0.5);
    gl_Position = vec4(position.xy, 0.0, 1.0);
  }`;
const look = `
  #include <packing>
  varying vec2 at;
  uniform sampler2D depths;
  uniform mat4 unproject;
  uniform vec4 part; // of the picture: where it begins and how large it is
  float depthAt(vec2 p) { return texture2D(depths, p).x; }
  vec3 placeAt(vec2 p, float depth) {
    vec4 place = unproject * vec4(2.0 * vec3((p - part.xy) / part.zw, depth) - 1.0, 1.0);
    return place.xyz / place.w;
  }`;
const gather = `${look}
  uniform vec2 pixel;
  uniform float reach, scale; // m; of the picture's height that a metre at a distance of a metre takes
  uniform float aspect;
  float noise(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))); }
  void main() {
    float depth = depthAt(at);
    if (depth >= 1.0) { gl_FragColor = vec4(1.0); return; }
    vec3 here = placeAt(at, depth);
    // The nearer neighbour of each side: no edge is smoothed.
    vec3 right = placeAt(at + vec2(pixel.x, 0.0), depthAt(at + vec2(pixel.x, 0.0))) - here;
    vec3 left = here - placeAt(at - vec2(pixel.x, 0.0), depthAt(at - vec2(pixel.x, 0.0)));
    vec3 above = placeAt(at + vec2(0.0, pixel.y), depthAt(at + vec2(0.0, pixel.y))) - here;
    vec3 below = here - placeAt(at - vec2(0.0, pixel.y), depthAt(at - vec2(0.0, pixel.y)));
    vec3 n = normalize(cross(abs(right.z) < abs(left.z) ? right : left, abs(above.z) < abs(below.z) ? above : below));
    float size = min(scale * reach / -here.z, 0.25), turn = 6.2831853 * noise(gl_FragCoord.xy), sum = 0.0;
    float slack = 0.02 * reach - 0.003 * here.z; // far away planes are rough
    for (int i = 0; i < ${SAMPLES}; i++) {
      float share = (float(i) + 0.5) / float(${SAMPLES}), angle = turn + share * 6.2831853 * float(${TURNS});
      vec2 p = at + size * share * vec2(cos(angle) / aspect, sin(angle));
      if (any(lessThan(p, part.xy)) || any(greaterThan(p, part.xy + part.zw))) continue;
      vec3 way = placeAt(p, depthAt(p)) - here;
      float far = dot(way, way), rise = dot(way, n) - slack;
      sum += max(rise, 0.0) * max(1.0 - far / (reach * reach), 0.0) / (far + 0.001 * reach * reach);
    }
    gl_FragColor = vec4(vec3(clamp(1.0 - 2.2 * reach * smoothstep(3.0, 12.0, size / pixel.y) * sum / float(${SAMPLES}), 0.0, 1.0)), 1.0);
  }`;
const blur = `${look}
  uniform sampler2D open;
  uniform vec2 pixel;
  uniform float reach;
  void main() {
    float here = placeAt(at, depthAt(at)).z, sum = 0.0, weights = 0.0;
    for (int i = -2; i < 2; i++)
      for (int k = -2; k < 2; k++) {
        vec2 p = at + (vec2(float(i), float(k)) + 0.5) * pixel;
        float weight = max(1.0 - abs(placeAt(p, depthAt(p)).z - here) / (0.5 * reach), 0.001);
        sum += weight * texture2D(open, p).x;
        weights += weight;
      }
    gl_FragColor = vec4(vec3(sum / weights), 1.0);
  }`;

const white = new THREE.DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1);
white.needsUpdate = true;

// What materials read: how open each pixel is, and how many pixels there are.
export const openness = { open: { value: white }, pixels: { value: new THREE.Vector2(1, 1) } };

export class Occlusion {
  constructor(renderer, scene) {
    Object.assign(this, { renderer, scene });
    this.depths = new THREE.MeshBasicMaterial({ colorWrite: false });
    this.quad = new THREE.Mesh(new THREE.BufferGeometry(), null);
    this.quad.geometry.setAttribute("position", new THREE.Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
    this.quad.frustumCulled = false;
    this.flat = new THREE.Scene();
    this.flat.add(this.quad);
    this.own = { depths: { value: null }, unproject: { value: new THREE.Matrix4() }, part: { value: new THREE.Vector4() }, pixel: { value: new THREE.Vector2() },
      reach: { value: 1 }, scale: { value: 1 }, aspect: { value: 1 }, open: { value: null } };
    const pass = (fragmentShader) => new THREE.ShaderMaterial({ vertexShader: vertex, fragmentShader, uniforms: this.own, depthTest: false, depthWrite: false });
    this.gather = pass(gather);
    this.blur = pass(blur);
  }

  resize(width, height) {
    if (this.solid?.width === width && this.solid.height === height) return;
    this.release();
    this.solid = new THREE.WebGLRenderTarget(width, height, { depthTexture: new THREE.DepthTexture(width, height, THREE.FloatType) });
    this.rough = new THREE.WebGLRenderTarget(width, height, { depthBuffer: false });
    this.smooth = new THREE.WebGLRenderTarget(width, height, { depthBuffer: false });
  }

  release() {
    for (const target of [this.solid, this.rough, this.smooth]) target?.dispose();
    this.solid?.depthTexture.dispose();
    this.solid = null;
    openness.open.value = white;
  }

  // Before the picture of a world is drawn. `part` of the canvas: {x, width}; `body`: the size of bodies, m.
  draw(camera, { x, width }, canvas, radius, body) {
    const { renderer, own } = this, ratio = renderer.getPixelRatio(), cut = (length) => Math.max(1, Math.round(SHARE * ratio * length));
    this.resize(cut(canvas.width), cut(canvas.height));
    renderer.getDrawingBufferSize(openness.pixels.value);
    own.depths.value = this.solid.depthTexture;
    own.unproject.value.copy(camera.projectionMatrixInverse);
    own.part.value.set(x / canvas.width, 0, width / canvas.width, 1);
    own.pixel.value.set(1 / this.solid.width, 1 / this.solid.height);
    own.reach.value = Math.min(REACH * radius, BODY * body);
    own.scale.value = 0.5 * camera.projectionMatrix.elements[5];
    own.aspect.value = canvas.width / canvas.height;
    const before = { background: this.scene.background, mask: camera.layers.mask, shadows: renderer.shadowMap.needsUpdate };
    const pass = (target, scene, material) => {
      target.viewport.set(x * SHARE * ratio, 0, width * SHARE * ratio, target.height);
      target.scissor.copy(target.viewport);
      target.scissorTest = true;
      renderer.setRenderTarget(target);
      if (material) this.quad.material = material;
      renderer.render(scene, camera);
    };
    renderer.shadowMap.needsUpdate = false;
    Object.assign(this.scene, { overrideMaterial: this.depths, background: null });
    camera.layers.set(LAYER);
    pass(this.solid, this.scene);
    Object.assign(this.scene, { overrideMaterial: null, background: before.background });
    camera.layers.mask = before.mask;
    pass(this.rough, this.flat, this.gather);
    own.open.value = this.rough.texture;
    pass(this.smooth, this.flat, this.blur);
    renderer.setRenderTarget(null);
    renderer.shadowMap.needsUpdate = before.shadows;
    openness.open.value = this.smooth.texture;
  }
}

// Bodies that hide light from others.
export const hides = (mesh) => mesh.layers.enable(LAYER);
export const hidesNot = (mesh) => mesh.layers.disable(LAYER);

// A lit material reads how open its pixel is.
export function readOpenness(shader) {
  Object.assign(shader.uniforms, openness);
  shader.fragmentShader = shader.fragmentShader
    .replace("void main() {", "uniform sampler2D open;\nuniform vec2 pixels;\nvoid main() {")
    .replace("#include <aomap_fragment>", `#include <aomap_fragment>
      float openHere = texture2D(open, gl_FragCoord.xy / pixels).x;
      reflectedLight.indirectDiffuse *= openHere;
      reflectedLight.indirectSpecular *= openHere;
      reflectedLight.directDiffuse *= mix(1.0, openHere, 0.3);`);
}
