// Many lines, arrow heads and dots in one mesh each. Their arrays grow when needed and are filled anew for each
// message.
import * as THREE from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";

const OVER = 10; // drawn after bodies, and over them

// Segments of a breadth in pixels.
export class Lines {
  constructor(breadth) {
    this.material = new LineMaterial({ vertexColors: true, linewidth: breadth, depthTest: false, transparent: true });
    this.object = new LineSegments2(new LineSegmentsGeometry(), this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = OVER;
    this.room = 0;
    this.begin();
  }

  begin() {
    this.count = 0;
  }

  grow() {
    this.room = Math.max(256, 2 * this.room);
    const places = new Float32Array(6 * this.room),
      colours = new Float32Array(6 * this.room);
    if (this.places) {
      places.set(this.places);
      colours.set(this.colours);
    }
    Object.assign(this, { places, colours });
    this.object.geometry.dispose();
    this.object.geometry = new LineSegmentsGeometry();
    this.object.geometry.setPositions(places);
    this.object.geometry.setColors(colours);
  }

  add(ax, ay, az, bx, by, bz, colour) {
    if (this.count === this.room) this.grow();
    const at = 6 * this.count++,
      p = this.places,
      c = this.colours;
    p[at] = ax;
    p[at + 1] = ay;
    p[at + 2] = az;
    p[at + 3] = bx;
    p[at + 4] = by;
    p[at + 5] = bz;
    c[at] = c[at + 3] = colour.r;
    c[at + 1] = c[at + 4] = colour.g;
    c[at + 2] = c[at + 5] = colour.b;
  }

  end() {
    const { geometry } = this.object;
    this.object.visible = this.count > 0;
    geometry.instanceCount = this.count;
    if (this.count === 0) return;
    geometry.attributes.instanceStart.data.needsUpdate = true;
    geometry.attributes.instanceColorStart.data.needsUpdate = true;
  }
}

// Dots of a size in pixels.
export class Dots {
  constructor(size) {
    const disc = document.createElement("canvas");
    disc.width = disc.height = 32;
    const pen = disc.getContext("2d");
    pen.arc(16, 16, 15, 0, 7);
    pen.fillStyle = "#fff";
    pen.fill();
    const material = new THREE.PointsMaterial({
      size: size * Math.min(devicePixelRatio, 2),
      sizeAttenuation: false,
      vertexColors: true,
      map: new THREE.CanvasTexture(disc),
      alphaTest: 0.5,
      depthTest: false,
      transparent: true,
    });
    this.object = new THREE.Points(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = OVER + 1;
    this.room = 0;
    this.begin();
  }

  begin() {
    this.count = 0;
  }

  grow() {
    this.room = Math.max(256, 2 * this.room);
    const { geometry } = this.object,
      old = [geometry.getAttribute("position"), geometry.getAttribute("color")];
    geometry.dispose();
    ["position", "color"].forEach((name, i) => {
      const array = new Float32Array(3 * this.room);
      if (old[i]) array.set(old[i].array);
      geometry.setAttribute(name, new THREE.BufferAttribute(array, 3));
    });
  }

  add(x, y, z, colour) {
    if (this.count === this.room) this.grow();
    const { position, color } = this.object.geometry.attributes;
    position.setXYZ(this.count, x, y, z);
    color.setXYZ(this.count++, colour.r, colour.g, colour.b);
  }

  end() {
    const { geometry } = this.object;
    this.object.visible = this.count > 0;
    geometry.setDrawRange(0, this.count);
    if (this.count === 0) return;
    geometry.attributes.position.needsUpdate = geometry.attributes.color.needsUpdate = true;
  }
}

const along = new THREE.Vector3(),
  side = new THREE.Vector3(),
  other = new THREE.Vector3(),
  matrix = new THREE.Matrix4();

// Copies of a solid that stands on the origin along z: coils, cylinders, heads of arrows.
export class Solids {
  constructor(geometry, { over = false } = {}) {
    const Material = over ? THREE.MeshBasicMaterial : THREE.MeshLambertMaterial;
    this.geometry = geometry;
    this.material = new Material({ depthTest: !over, transparent: over, side: THREE.DoubleSide });
    this.over = over;
    this.object = new THREE.Group();
    this.room = 0;
    this.begin();
  }

  begin() {
    this.count = 0;
  }

  grow() {
    this.room = Math.max(64, 2 * this.room);
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, this.room);
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * this.room), 3);
    mesh.frustumCulled = false;
    mesh.castShadow = !this.over;
    mesh.renderOrder = this.over ? OVER : 0;
    if (this.mesh) {
      mesh.instanceMatrix.array.set(this.mesh.instanceMatrix.array);
      mesh.instanceColor.array.set(this.mesh.instanceColor.array);
      this.object.remove(this.mesh);
      this.mesh.dispose();
    }
    this.mesh = mesh;
    this.object.add(mesh);
  }

  // From a place along a way of some length; as broad as `breadth` says.
  add(x, y, z, wx, wy, wz, length, breadth, colour) {
    if (this.count === this.room) this.grow();
    along.set(wx, wy, wz).normalize();
    side
      .set(Math.abs(along.z) < 0.9 ? 0 : 1, 0, Math.abs(along.z) < 0.9 ? 1 : 0)
      .cross(along)
      .normalize();
    other.crossVectors(along, side);
    matrix
      .makeBasis(side.multiplyScalar(breadth), other.multiplyScalar(breadth), along.multiplyScalar(length))
      .setPosition(x, y, z);
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count++, colour);
  }

  end() {
    this.object.visible = this.count > 0;
    if (this.count === 0) return;
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = this.mesh.instanceColor.needsUpdate = true;
  }
}

// A coil of unit length and radius along z, with straight ends. The wire is flat along z, since springs are long and
// thin: it is stretched with them.
export function coil(turns = 8, perTurn = 12, around = 5) {
  const points = [],
    normals = [],
    triangles = [],
    steps = turns * perTurn;
  for (let i = -1; i <= steps + 1; i++) {
    const end = i < 0 || i > steps,
      angle = (2 * Math.PI * i) / perTurn,
      x = Math.cos(angle),
      y = Math.sin(angle);
    const z = end ? (i < 0 ? 0 : 1) : 0.1 + (0.8 * i) / steps;
    for (let k = 0; k < around; k++) {
      const out = Math.cos((2 * Math.PI * k) / around),
        up = Math.sin((2 * Math.PI * k) / around),
        radius = (end ? 0 : 1) + 0.13 * out;
      points.push(radius * x, radius * y, z + (end ? 0 : 0.014 * up));
      normals.push(out * x, out * y, up);
    }
  }
  for (let i = 0; i <= steps + 1; i++)
    for (let k = 0; k < around; k++) {
      const a = i * around + k,
        b = i * around + ((k + 1) % around);
      triangles.push(a, a + around, b, b, a + around, b + around);
    }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
  geometry.setIndex(triangles);
  return geometry;
}

// A cylinder or cone of unit length along z that stands on the origin.
export function round(top, bottom) {
  return new THREE.CylinderGeometry(top, bottom, 1, 16).translate(0, 0.5, 0).rotateX(Math.PI / 2);
}
