// What is under the pointer: bodies by their bounding spheres first, then by their triangles.
import * as THREE from "three";

const sphere = new THREE.Sphere(),
  matrix = new THREE.Matrix4(),
  inverse = new THREE.Matrix4(),
  ray = new THREE.Ray();
const a = new THREE.Vector3(),
  b = new THREE.Vector3(),
  c = new THREE.Vector3(),
  point = new THREE.Vector3(),
  edge = new THREE.Vector3();

// The nearest point of one shape on the ray (in its own frame), or null.
function nearest(geometry, slack) {
  const p = geometry.attributes.position,
    index = geometry.index;
  let best = null;
  for (let i = 0; i < index.count; i += 3) {
    a.fromBufferAttribute(p, index.getX(i));
    b.fromBufferAttribute(p, index.getX(i + 1));
    c.fromBufferAttribute(p, index.getX(i + 2));
    if (!ray.intersectTriangle(a, b, c, false, point)) continue;
    const distance = point.distanceTo(ray.origin);
    if (best && distance >= best.distance - slack) continue;
    const normal = edge.copy(b).sub(a).cross(c.clone().sub(a)).normalize();
    best = { distance, point: point.clone(), normal: normal.clone() };
  }
  return best;
}

// {body, point, normal, distance} in the world, or null. `accept(body number)` says what counts.
export function pick(crowd, worldRay, accept = () => true) {
  let best = null;
  for (let body = 0; body < crowd.bodies.length; body++) {
    if (!crowd.isHere(body) || !accept(body)) continue;
    for (let shape = crowd.start[body]; shape < crowd.start[body + 1]; shape++) {
      const mesh = crowd.meshOf[shape];
      if (mesh.userData.kind.glass) continue;
      matrix.fromArray(mesh.instanceMatrix.array, 16 * crowd.indexOf[shape]);
      sphere.copy(mesh.userData.geometry.boundingSphere).applyMatrix4(matrix);
      if (!worldRay.intersectsSphere(sphere)) continue;
      if (best && sphere.center.distanceTo(worldRay.origin) - sphere.radius > best.distance) continue;
      ray.copy(worldRay).applyMatrix4(inverse.copy(matrix).invert());
      const hit = nearest(mesh.userData.geometry, 0);
      if (!hit || (best && hit.distance >= best.distance)) continue;
      hit.point.applyMatrix4(matrix);
      hit.normal.transformDirection(matrix);
      if (hit.normal.dot(worldRay.direction) > 0) hit.normal.negate();
      best = { body, ...hit };
    }
  }
  return best;
}
