// Many copies of a geometry in one: every copy has its own corners, which look up its matrix and colour in textures.
// Renderers in software draw instances one by one, each about as slowly as a mesh of its own; this is one for them. It
// can stand in for an instanced mesh: `instanceMatrix` and `instanceColor` are filled alike.
import * as THREE from "three";

const WIDTH = 1024; // texels: 256 matrices a row

// Numbers that a shader reads, four to a texel.
class Table {
  constructor(count, itemSize, texels) {
    const height = Math.ceil((count * texels) / WIDTH) || 1;
    this.itemSize = itemSize;
    this.array = new Float32Array(4 * WIDTH * height);
    this.texture = new THREE.DataTexture(this.array, WIDTH, height, THREE.RGBAFormat, THREE.FloatType);
    this.texture.needsUpdate = true;
  }

  set needsUpdate(value) {
    this.texture.needsUpdate = value;
  }
}

function copies(geometry, count) {
  const corners = geometry.attributes.position.count,
    made = new THREE.BufferGeometry(),
    which = new Float32Array(count * corners);
  for (const name of ["position", "normal", "color"]) {
    const own = geometry.getAttribute(name)?.array,
      all = own && new Float32Array(count * own.length);
    for (let i = 0; own && i < count; i++) all.set(own, i * own.length);
    if (own) made.setAttribute(name, new THREE.BufferAttribute(all, 3));
  }
  const own = geometry.index.array,
    index = new Uint32Array(count * own.length);
  for (let i = 0; i < count; i++) {
    which.fill(i, i * corners, (i + 1) * corners);
    for (let k = 0; k < own.length; k++) index[i * own.length + k] = i * corners + own[k];
  }
  made.setAttribute("which", new THREE.BufferAttribute(which, 1));
  made.setIndex(new THREE.BufferAttribute(index, 1));
  return made;
}

export class Merged extends THREE.Mesh {
  constructor(geometry, count) {
    super(copies(geometry, count));
    this.instanceMatrix = new Table(count, 16, 4);
    this.instanceColor = new Table(count, 4, 1);
    this.count = count;
  }

  // What the material needs to know.
  get tables() {
    return { matrices: { value: this.instanceMatrix.texture }, colours: { value: this.instanceColor.texture } };
  }

  dispose() {
    this.geometry.dispose();
    this.instanceMatrix.texture.dispose();
    this.instanceColor.texture.dispose();
  }
}

// For the vertex shader: mat4 placed, vec3 own.
export const lookUp = `
  #ifdef MERGED
    attribute float which;
    uniform sampler2D matrices, colours;
    vec4 numbers(sampler2D table, int texel) {
      return texelFetch(table, ivec2(texel % ${WIDTH}, texel / ${WIDTH}), 0);
    }
    mat4 placement() {
      int first = 4 * int(which);
      return mat4(numbers(matrices, first), numbers(matrices, first + 1), numbers(matrices, first + 2),
                  numbers(matrices, first + 3));
    }
    vec3 bodyColour() { return numbers(colours, int(which)).rgb; }
  #else
    mat4 placement() { return instanceMatrix; }
    vec3 bodyColour() { return instanceColor; }
  #endif
`;
