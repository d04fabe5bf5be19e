// The fine picture, for machines that draw it in time: light from all around, by an environment made of the sky, the ground
// and a bright window. Stage measures whether there is time, and adds soft shadows.
import * as THREE from "three";

// What shines on bodies: a sky that brightens upwards, and ground.
function surroundings(theme) {
  const scene = new THREE.Scene();
  const dome = (css, from, length) => new THREE.Mesh(new THREE.SphereGeometry(10, 32, 16, 0, 2 * Math.PI, from, length),
    new THREE.MeshBasicMaterial({ color: css, side: THREE.BackSide }));
  const sky = dome(theme.zenith, 0, Math.PI / 2), ground = dome(theme.ground, Math.PI / 2, Math.PI / 2);
  const window = new THREE.Mesh(new THREE.PlaneGeometry(9, 9), new THREE.MeshBasicMaterial({ color: 0xffffff }));
  window.material.color.multiplyScalar(4);
  window.position.set(-5, 7, -4);
  window.lookAt(0, 0, 0);
  scene.add(sky, ground, window);
  return scene;
}

export class Fine {
  constructor(renderer, scene) {
    Object.assign(this, { renderer, scene });
    this.maker = new THREE.PMREMGenerator(renderer);
  }

  // The environment of a theme; `up` is the axis, 1 or 2.
  light(theme, up) {
    this.target?.dispose();
    this.target = this.maker.fromScene(surroundings(theme), 0.05);
    this.scene.environment = this.target.texture;
    this.scene.environmentRotation.set(up === 2 ? Math.PI / 2 : 0, 0, 0);
    this.scene.environmentIntensity = 0.4;
  }

  dark() {
    this.scene.environment = null;
  }
}
