// The picture: every geometry is one instanced mesh, every shape an instance of it.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { bodyColour, scaleColour, themes } from "./colours.js";

const turned = new THREE.Quaternion(), placed = new THREE.Vector3(), one = new THREE.Vector3(1, 1, 1);
const bodyMatrix = new THREE.Matrix4(), shapeMatrix = new THREE.Matrix4(), colour = new THREE.Color();

export class Stage {
  constructor(canvas) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.scene = new THREE.Scene();
    this.surfaces = new Map(); // number -> BufferGeometry
    this.meshes = []; // instanced
    this.shapes = []; // {body, mesh, index, local}
    this.bodies = [];
    this.mode = "body";
    this.range = [0, 1];
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1e5);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.addLights();
    this.setTheme("light");
  }

  addLights() {
    this.sky = new THREE.HemisphereLight(0xffffff, 0x8a8478, 1.6);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  setTheme(name) {
    this.theme = themes[name];
    this.scene.background = new THREE.Color(this.theme.background);
    this.paint();
  }

  addSurface({ number, positions, normals, indices }) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
    geometry.setIndex(new THREE.BufferAttribute(indices, 1));
    this.surfaces.set(number, geometry);
  }

  clear() {
    for (const mesh of this.meshes) {
      this.scene.remove(mesh);
      mesh.material.dispose();
      mesh.dispose();
    }
    this.meshes = [];
    this.shapes = [];
  }

  // A scene message: bodies with their shapes. Surfaces have come before.
  build(scene) {
    this.clear();
    this.planar = scene.planar;
    this.bodies = scene.bodies;
    const uses = new Map();
    scene.bodies.forEach((body, number) => {
      for (const shape of body.shapes) {
        const key = shape.geometry * 2 + (shape.sensor ? 1 : 0);
        if (!uses.has(key)) uses.set(key, []);
        uses.get(key).push({ body: number, shape });
      }
    });
    for (const [key, list] of uses) {
      const geometry = this.surfaces.get(key >> 1);
      if (!geometry) continue;
      const sensor = key & 1;
      const material = new THREE.MeshStandardMaterial({
        roughness: 0.75, transparent: !!sensor, opacity: sensor ? 0.3 : 1,
        side: scene.planar ? THREE.DoubleSide : THREE.FrontSide,
      });
      const mesh = new THREE.InstancedMesh(geometry, material, list.length);
      mesh.castShadow = mesh.receiveShadow = !sensor && !scene.planar;
      mesh.frustumCulled = false; // bounds of instances change with every frame
      this.scene.add(mesh);
      this.meshes.push(mesh);
      list.forEach(({ body, shape }, index) => {
        const local = new THREE.Matrix4().compose(
          new THREE.Vector3(...shape.position),
          new THREE.Quaternion(shape.rotation[1], shape.rotation[2], shape.rotation[3], shape.rotation[0]), one);
        this.shapes.push({ body, mesh, index, local });
      });
    }
    this.paint();
  }

  // A frame message: where bodies are.
  place(frame) {
    const { positions: p, rotations: r } = frame;
    for (const { body, mesh, index, local } of this.shapes) {
      if (body >= frame.bodies) continue;
      placed.fromArray(p, 3 * body);
      turned.set(r[4 * body], r[4 * body + 1], r[4 * body + 2], r[4 * body + 3]).normalize();
      bodyMatrix.compose(placed, turned, one);
      shapeMatrix.multiplyMatrices(bodyMatrix, local);
      mesh.setMatrixAt(index, shapeMatrix);
    }
    for (const mesh of this.meshes) mesh.instanceMatrix.needsUpdate = true;
    this.frame = frame;
    if (frame.colours || this.mode === "sleeping") this.paint();
  }

  isAsleep(body) {
    return !!this.frame && (this.frame.asleep[body >> 3] >> (body & 7)) & 1;
  }

  colourOf(body) {
    const type = this.bodies[body].type;
    if (type !== "dynamic") return this.theme[type];
    if (this.mode === "sleeping") return this.isAsleep(body) ? this.theme.asleep : this.theme.awake;
    if (this.mode === "body" || !this.frame?.colours) return bodyColour(body);
    return scaleColour(this.frame.colours[body], this.range);
  }

  paint() {
    for (const { body, mesh, index } of this.shapes) mesh.setColorAt(index, colour.set(this.colourOf(body)));
    for (const mesh of this.meshes) if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  // The box around all that moves, or around everything when nothing does.
  bounds() {
    const box = new THREE.Box3();
    if (!this.frame) return box;
    for (const { body, mesh } of this.shapes) {
      if (this.bodies[body].type === "static" && this.bodies.some((b) => b.type !== "static")) continue;
      if (!mesh.geometry.boundingSphere) mesh.geometry.computeBoundingSphere();
      placed.fromArray(this.frame.positions, 3 * body);
      const radius = mesh.geometry.boundingSphere.radius;
      box.expandByPoint(placed.clone().addScalar(radius));
      box.expandByPoint(placed.clone().addScalar(-radius));
    }
    return box;
  }

  fit() {
    const box = this.bounds();
    if (box.isEmpty()) return;
    const centre = box.getCenter(new THREE.Vector3()), radius = box.getSize(new THREE.Vector3()).length() / 2 || 1;
    const distance = (1.15 * radius) / Math.sin((this.camera.fov * Math.PI) / 360);
    const way = this.planar ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0.55, -0.75, 0.4);
    this.camera.up.set(0, this.planar ? 1 : 0, this.planar ? 0 : 1);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(way.normalize(), distance);
    this.camera.near = distance / 1000;
    this.camera.far = distance * 100;
    this.camera.updateProjectionMatrix();
    this.controls.enableRotate = !this.planar;
    this.sun.position.copy(centre).add(new THREE.Vector3(0.4, -0.6, 1.3).multiplyScalar(2 * radius));
    this.sun.target.position.copy(centre);
    Object.assign(this.sun.shadow.camera, { left: -2 * radius, right: 2 * radius, top: 2 * radius, bottom: -2 * radius,
                                            near: 0.01 * radius, far: 8 * radius });
    this.sun.shadow.camera.updateProjectionMatrix();
  }

  resize(width, height) {
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  draw() {
    this.controls.update();
    this.renderer.render(this.scene, this.camera);
  }
}
