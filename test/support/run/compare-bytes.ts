import { expect } from 'vitest'

/** Whether this process has the tester: files of tests share it, and a tester stays. */
interface Comparing {
  lockstepComparesBytes?: boolean
}

/** Compares bytes at once. A matcher by itself makes a string of each index to look for members that are none. */
function sameBytes(a: unknown, b: unknown): boolean | undefined {
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return undefined
  // Of different classes are not equal, which the matcher finds.
  return a.constructor === b.constructor ? Buffer.compare(a, b) === 0 : undefined
}

const comparing = process as Comparing
if (comparing.lockstepComparesBytes !== true) {
  comparing.lockstepComparesBytes = true
  expect.addEqualityTesters([sameBytes])
}
