// A grid without end: lines every 1, 2 or 5 times a power of ten, thinner ones between, drawn by the distance to the next line.
import * as THREE from "three";
import { roundUp } from "./range.js";

const vertex = `
  varying vec2 place;
  uniform float extent;
  uniform vec2 middle;
  void main() {
    place = position.xy * extent + middle;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(place, 0.0, 1.0);
  }`;
const fragment = `
  varying vec2 place;
  uniform float spacing, extent;
  uniform vec2 middle;
  uniform vec3 colour;
  float lines(float every) {
    vec2 at = place / every, width = fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
    float line = 1.0 - min(min(near.x, near.y), 1.0);
    return line * clamp(1.0 - 2.5 * max(width.x, width.y), 0.0, 1.0);
  }
  void main() {
    float fade = 1.0 - smoothstep(0.3, 0.95, length(place - middle) / extent);
    float shown = max(0.22 * lines(spacing), 0.42 * lines(5.0 * spacing)) * fade;
    if (shown < 0.004) discard;
    gl_FragColor = vec4(colour, shown);
  }`;

export class Grid {
  constructor() {
    this.uniforms = { spacing: { value: 1 }, extent: { value: 1 }, middle: { value: new THREE.Vector2() },
                      colour: { value: new THREE.Color() } };
    const material = new THREE.ShaderMaterial({
      uniforms: this.uniforms, vertexShader: vertex, fragmentShader: fragment, transparent: true, depthWrite: false,
      side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -4,
    });
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1;
  }

  // `radius`: of what one looks at, m; `up`: "y" or "z" with the height along it, or null behind flat worlds.
  set(centre, radius, height, up) {
    this.uniforms.spacing.value = roundUp(radius / 12) || 1;
    this.uniforms.extent.value = (up ? 14 : 40) * radius;
    this.uniforms.middle.value.set(centre.x, up === "y" ? -centre.z : centre.y);
    this.mesh.rotation.x = up === "y" ? -Math.PI / 2 : 0;
    this.mesh.position.set(0, up === "y" ? height : 0, up === "z" ? height : up ? 0 : -1);
  }

  setColour(css) {
    this.uniforms.colour.value.set(css).convertLinearToSRGB();
  }
}
