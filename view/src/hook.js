// window.ashlar: what tests in a browser read from the page.
import * as THREE from "three";
import { PAUSED } from "./wire.js";

const centre = new THREE.Vector3();

export function hook(page) {
  const { stage } = page, crowd = (world = 0) => stage.worlds[world].crowd;
  const numberOf = (id) => crowd().bodies.findIndex((body) => body.id === id);
  window.ashlar = {
    // Bodies of a world, with their places and unit quaternions x, y, z, w; absent ones have NaN.
    bodies(world = 0) {
      const { frame, bodies } = crowd(world);
      if (!frame) return [];
      return bodies.map(({ id, name, type }, i) => {
        const rotation = [...frame.rotations.subarray(4 * i, 4 * i + 4)], length = Math.hypot(...rotation) || 1;
        const position = [...frame.positions.subarray(3 * i, 3 * i + 3)];
        return { id, name, type, position, rotation: rotation.map((part) => part / length) };
      });
    },
    // What the server said, and what is seen: `still` when the picture shows a pause.
    state() {
      const { frame, bodies } = crowd(), { scene, connected } = page;
      return {
        ...page.state, connected, still: ((frame?.flags ?? 0) & PAUSED) !== 0, time: frame?.time, step: frame?.step,
        scene: scene?.name, generation: scene?.generation, worlds: stage.count, tool: page.tools.name,
        chosen: bodies[page.chosen.body]?.id ?? null, grabbed: bodies[page.tools.grab.body]?.id ?? null,
      };
    },
    get frames() {
      return page.frames.means;
    },
    renderer: () => ({ ...stage.renderer.info.render, software: stage.software, fine: stage.look.fine, level: stage.level, measured: !!stage.measured, costs: [...stage.costs] }),
    setQuality: (quality) => page.setQuality(quality),
    setOcclusion(is) {
      stage.look.occlusion = is;
      if (!is) stage.occlusion.release();
      stage.dirty = true;
    },
    // Red of every seventh pixel, 0 to 255.
    reds() {
      stage.dirty = true;
      stage.draw();
      const gl = stage.renderer.getContext(), { width, height } = gl.canvas, pixels = new Uint8Array(4 * width * height);
      gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      return Array.from({ length: Math.floor((width * height) / 7) }, (_, i) => pixels[28 * i]);
    },
    materials: () => crowd().meshes.map(({ userData: { kind } }) => ({ roughness: kind.roughness, metal: kind.metal })),
    // How much of the picture's height or width, whichever is more, all that moves takes.
    filled: () => page.framing.filled(),
    select: (id) => page.choose(numberOf(id)),
    // The pixel of a body's centre in the window.
    screen(id, world = 0) {
      const number = numberOf(id), box = stage.canvas.getBoundingClientRect();
      if (number < 0 || !crowd(world).isHere(number)) return null;
      crowd(world).middle(number, centre);
      const [x, y] = stage.toPixel(centre, world);
      return [box.left + x, box.top + y];
    },
    links: () => ({ joints: page.scene?.joints ?? [], forces: page.scene?.forces ?? [] }),
    send: page.send,
    // In the page without a server: a scene by a method, apart from what is seen.
    run: (...words) => page.link.run(...words),
  };
}
