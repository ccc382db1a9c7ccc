import { readFileSync } from 'node:fs'

// Shifts Date by the seconds in a file. Loaded with NODE_OPTIONS in each thread of the node.

const RealDate = globalThis.Date
const path = process.env.SHIFTED_CLOCK_FILE
const LOOK_MS = 20
let looked = 0
let shift = 0

function now() {
  const real = RealDate.now()
  if (real - looked > LOOK_MS) {
    looked = real
    try {
      shift = 1000 * Number(readFileSync(path, 'utf8'))
    } catch {
      shift = 0
    }
  }
  return real + shift
}

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given))
  }

  static now() {
    return now()
  }
}
