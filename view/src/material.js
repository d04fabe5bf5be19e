// Materials of bodies. In the fine picture every pixel is lit by a physical model; in the plain one every corner is, which
// renderers in software like much better, and what is close above the ground is a little darker. Flat worlds are not lit.
import * as THREE from "three";
import { lookUp } from "./merged.js";
import { readOpenness } from "./occlusion.js";

export const SKY = { colour: 0xffffff, ground: 0x9a9488 },
  SUN_COLOUR = 0xfff6e8;

// What all materials share: the light, as in Lambert's law.
export const light = {
  up: { value: new THREE.Vector3(0, 0, 1) },
  towardsSun: { value: new THREE.Vector3(0, 0, 1) },
  sky: { value: new THREE.Color(SKY.colour) },
  ground: { value: new THREE.Color(SKY.ground) },
  sun: { value: new THREE.Color(SUN_COLOUR) },
  skyStrength: { value: 1.9 },
  sunStrength: { value: 2 },
  background: { value: new THREE.Color() }, // as the screen wants it
  groundHeight: { value: -Infinity }, // along `up`, m
  nearGround: { value: 1 }, // m: over this height the darkness near the ground ends
};

const vertex = `
  uniform vec3 up, towardsSun, sky, ground, sun, background;
  uniform float skyStrength, sunStrength, reach, groundHeight, nearGround;
  varying vec3 tint;
  ${lookUp}
  vec3 toScreen(vec3 c) {
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
  }
  void main() {
    mat4 placed = placement();
    vec3 own = bodyColour();
    #ifdef USE_COLOR
      own *= color;
    #endif
    #ifdef LIT
      vec3 n = normalize(mat3(placed) * normal);
      vec3 received = skyStrength * mix(ground, sky, 0.5 + 0.5 * dot(n, up));
      received += sunStrength * sun * max(dot(n, towardsSun), 0.0);
      float above = (dot((placed * vec4(position, 1.0)).xyz, up) - groundHeight) / nearGround;
      #ifndef FADES
        received *= mix(0.62, 1.0, smoothstep(0.0, 1.0, above + max(dot(n, up), 0.0)));
      #endif
      own *= received / 3.14159265;
    #endif
    tint = toScreen(min(own, vec3(1.0)));
    #ifdef FADES
      tint = mix(tint, background, smoothstep(0.3, 0.95, length(position.xy) / reach));
    #endif
    // Worlds have no matrix of their own.
    gl_Position = projectionMatrix * (viewMatrix * (placed * vec4(position, 1.0)));
  }`;
const fragment = `
  uniform float opacity;
  varying vec3 tint;
  void main() {
    gl_FragColor = vec4(tint, opacity);
  }`;

// Planes have no end: in space they fade, with the distance from their middle, instead of showing the edge of what is
// drawn. Where every corner is lit they take on the colour of the background; for that they have many corners.
function fadeLit(material, reach, fine) {
  material.onBeforeCompile = (shader) => {
    if (fine) readOpenness(shader);
    shader.uniforms.reach = { value: reach };
    shader.vertexShader = shader.vertexShader.replace(
      "void main() {",
      "uniform float reach;\nvarying vec2 away;\nvoid main() {\n  away = position.xy / reach;",
    );
    shader.fragmentShader = shader.fragmentShader
      .replace("void main() {", "varying vec2 away;\nvoid main() {")
      .replace(
        "#include <color_fragment>",
        "#include <color_fragment>\n  diffuseColor.a *= 1.0 - smoothstep(0.3, 0.95, length(away));",
      );
  };
  material.customProgramCacheKey = () => (fine ? "fades, fine" : "fades");
  return material;
}

// `reach`: half the breadth of a plane, or 0 for bodies that have an end. `tables` of a merged mesh.
export function makeMaterial({ planar, fine, shadows, sensor, opacity: own = 1, roughness = 0.7, metal = 0, glass, wireframe, reach, vertexColors, tables }) {
  const fades = reach > 0 && !planar,
    lit = !planar && (fine || shadows) && !tables;
  const common = {
    transparent: sensor || glass || own < 1 || (fades && lit),
    depthWrite: !sensor && !glass && own === 1,
    wireframe,
    vertexColors,
    side: planar || fades ? THREE.DoubleSide : THREE.FrontSide,
  };
  // The grid lies on it.
  if (fades) Object.assign(common, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 });
  const opacity = sensor ? 0.3 : glass ? 0.24 : own;
  if (lit) {
    const material = fine ? new THREE.MeshStandardMaterial({ ...common, opacity, roughness, metalness: metal }) : new THREE.MeshLambertMaterial({ ...common, opacity });
    if (fades) return fadeLit(material, reach, fine);
    if (fine) material.onBeforeCompile = readOpenness;
    return material;
  }
  const defines = Object.entries({ LIT: !planar, FADES: fades, MERGED: !!tables })
    .filter(([, is]) => is)
    .map(([name]) => [name, ""]);
  return new THREE.ShaderMaterial({
    ...common,
    vertexShader: vertex,
    fragmentShader: fragment,
    defines: Object.fromEntries(defines),
    uniforms: { ...light, opacity: { value: opacity }, reach: { value: reach }, ...tables },
  });
}
