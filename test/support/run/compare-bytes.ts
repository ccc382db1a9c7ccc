import { expect } from 'vitest'

/** Whether this process already has the tester, which stays for all its test files. */
interface Comparing {
  lockstepComparesBytes?: boolean
}

/** Compares byte arrays directly. The default matcher makes a string of each index to look for other properties. */
function sameBytes(a: unknown, b: unknown): boolean | undefined {
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return undefined
  // Arrays of different classes are unequal, which the default matcher reports.
  return a.constructor === b.constructor ? Buffer.compare(a, b) === 0 : undefined
}

const comparing = process as Comparing
if (comparing.lockstepComparesBytes !== true) {
  comparing.lockstepComparesBytes = true
  expect.addEqualityTesters([sameBytes])
}
