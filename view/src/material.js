// Materials of bodies. With shadows every pixel is lit; without, every corner is, which renderers in software like
// much better. Flat worlds are not lit at all.
import * as THREE from "three";

export const SKY = { colour: 0xffffff, ground: 0x9a9488 }, SUN_COLOUR = 0xfff6e8;

// What all materials share: the light, as in Lambert's law.
export const light = {
  up: { value: new THREE.Vector3(0, 0, 1) },
  towardsSun: { value: new THREE.Vector3(0, 0, 1) },
  sky: { value: new THREE.Color(SKY.colour) },
  ground: { value: new THREE.Color(SKY.ground) },
  sun: { value: new THREE.Color(SUN_COLOUR) },
  skyStrength: { value: 1.9 },
  sunStrength: { value: 2 },
};

const vertex = `
  uniform vec3 up, towardsSun, sky, ground, sun;
  uniform float skyStrength, sunStrength;
  varying vec3 tint;
  #ifdef FADES
    uniform float reach;
    varying vec2 away;
  #endif
  void main() {
    vec3 n = normalize(mat3(instanceMatrix) * normal);
    vec3 received = skyStrength * mix(ground, sky, 0.5 + 0.5 * dot(n, up)) + sunStrength * sun * max(dot(n, towardsSun), 0.0);
    vec3 own = instanceColor;
    #ifdef USE_COLOR
      own *= color;
    #endif
    tint = sqrt(min(own * received / PI, vec3(1.0))); // about as the screen wants it
    #ifdef FADES
      away = position.xy / reach;
    #endif
    gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
  }`;
const fragment = `
  uniform float opacity;
  varying vec3 tint;
  #ifdef FADES
    varying vec2 away;
  #endif
  void main() {
    gl_FragColor = vec4(tint, opacity);
    #ifdef FADES
      gl_FragColor.a *= 1.0 - smoothstep(0.35, 0.95, length(away));
    #endif
  }`;

// Planes have no end: in space they fade, at this distance from their middle, instead of showing the edge of what is drawn.
function fadeLit(material, reach) {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.reach = { value: reach };
    shader.vertexShader = shader.vertexShader.replace("void main() {", "uniform float reach;\nvarying vec2 away;\nvoid main() {\n  away = position.xy / reach;");
    shader.fragmentShader = shader.fragmentShader.replace("void main() {", "varying vec2 away;\nvoid main() {")
      .replace("#include <color_fragment>", "#include <color_fragment>\n  diffuseColor.a *= 1.0 - smoothstep(0.35, 0.95, length(away));");
  };
  material.customProgramCacheKey = () => "fades";
  return material;
}

// `reach`: half the breadth of a plane, or 0 for bodies that have an end.
export function makeMaterial({ planar, shadows, sensor, wireframe, reach, vertexColors }) {
  const fades = reach > 0 && !planar;
  const common = { transparent: sensor || fades, depthWrite: !sensor, wireframe, vertexColors, side: planar || fades ? THREE.DoubleSide : THREE.FrontSide };
  if (fades) Object.assign(common, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 }); // the grid lies on it
  const opacity = sensor ? 0.3 : 1;
  if (planar) return new THREE.MeshBasicMaterial({ ...common, opacity });
  if (shadows) {
    const material = new THREE.MeshLambertMaterial({ ...common, opacity });
    return fades ? fadeLit(material, reach) : material;
  }
  return new THREE.ShaderMaterial({
    ...common, uniforms: { ...light, opacity: { value: opacity }, reach: { value: reach } }, vertexShader: vertex, fragmentShader: fragment,
    defines: { PI: "3.14159265", ...(fades ? { FADES: "" } : {}) },
  });
}
