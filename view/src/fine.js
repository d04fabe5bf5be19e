// The fine picture, for machines that draw it in time: light from all around (an environment made of the sky and a bright
// window), soft shadows, and ambient occlusion, which darkens where bodies meet. Stage measures whether there is time.
import * as THREE from "three";
import { EffectComposer } from "three/addons/postprocessing/EffectComposer.js";
import { GTAOPass } from "three/addons/postprocessing/GTAOPass.js";
import { OutputPass } from "three/addons/postprocessing/OutputPass.js";
import { RenderPass } from "three/addons/postprocessing/RenderPass.js";

const SAMPLES = 4; // of a pixel
const REACH = 0.035; // of what is to be seen: how far occlusion reaches

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
    this.scene.environmentIntensity = 0.55;
  }

  dark() {
    this.scene.environment = null;
  }

  resize(width, height, ratio, camera, radius) {
    if (!this.composer) {
      const target = new THREE.WebGLRenderTarget(width, height, { type: THREE.HalfFloatType, samples: SAMPLES });
      this.composer = new EffectComposer(this.renderer, target);
      this.base = new RenderPass(this.scene, camera);
      this.occlusion = new GTAOPass(this.scene, camera, width, height);
      this.composer.addPass(this.base);
      this.composer.addPass(this.occlusion);
      this.composer.addPass(new OutputPass());
    }
    this.base.camera = this.occlusion.camera = camera;
    this.occlusion.updateGtaoMaterial({ radius: REACH * radius, distanceExponent: 1, thickness: REACH * radius, scale: 1.1, samples: 12 });
    const key = `${width} ${height} ${ratio}`;
    if (key === this.key) return;
    this.key = key;
    this.composer.setPixelRatio(ratio);
    this.composer.setSize(width, height);
  }

  draw() {
    this.composer.render();
  }
}
