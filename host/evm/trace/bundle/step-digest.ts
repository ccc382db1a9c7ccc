import { formatBase64, parseBase64 } from '../../../base/base64.ts'
import type { StepOptions, StepRecord, TraceSink } from '../../engine/trace-event.ts'
import type { JsonMember } from './bundle-json.ts'
import type { StepPlace } from './difference.ts'

// A step digest is the 32-bit MurmurHash3 of the fields that a debugger shows. Steps are hashed independently, so the
// first different digest is the first difference. Digests are not compressed: deflate leaves 100.0 % of them.

const TOP_WORDS = 4
const WORD_LIMBS = 8
const TWO_32 = 2 ** 32

function mix(hash: number, limb: number): number {
  let scrambled = Math.imul(limb, 0xcc9e2d51)
  scrambled = (scrambled << 15) | (scrambled >>> 17)
  const mixed = hash ^ Math.imul(scrambled, 0x1b873593)
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0
}

/** Mixes in both halves of a number; bits beyond 64 are dropped. */
function mixNumber(hash: number, value: number): number {
  return mix(mix(hash, value | 0), Math.floor(value / TWO_32) | 0)
}

function finish(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/**
 * Returns the digest of pc, opcode, depth, gas, cost, refund, memory size, stack height and the top four stack words.
 * `limbs` is the step's memory in 32-bit words.
 */
export function stepDigest(step: StepRecord, limbs: Uint32Array): number {
  const { stackHeight } = step
  let hash = mix(mix(mix(0, step.pc), step.opcode), step.depth)
  hash = mixNumber(mixNumber(mixNumber(hash, step.gas), step.cost), step.refund)
  hash = mix(mix(hash, step.memorySize), stackHeight)
  const end = (step.stackAt >> 2) + WORD_LIMBS * stackHeight
  const begin = end - WORD_LIMBS * Math.min(stackHeight, TOP_WORDS)
  for (let at = begin; at < end; at++) hash = mix(hash, limbs[at] as number)
  return finish(hash)
}

/** Returns digests in base64: 32 bits each, little-endian. */
export function encodeDigests(digests: Uint32Array): string {
  const bytes = new Uint8Array(4 * digests.length)
  const view = new DataView(bytes.buffer)
  for (const [i, digest] of digests.entries()) view.setUint32(4 * i, digest, true)
  return formatBase64(bytes)
}

/** @throws BUNDLE_INVALID */
export function decodeDigests(member: JsonMember): Uint32Array {
  const rule = 'base64 of four bytes a step'
  const text = member.text()
  let bytes: Uint8Array
  try {
    bytes = parseBase64(text)
  } catch (thrown) {
    throw member.wants(rule, thrown)
  }
  if (bytes.length % 4 !== 0) throw member.wants(rule)
  const view = new DataView(bytes.buffer)
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true))
}

/** Computes the step digests of a run and compares them with recorded ones, if any. */
export class StepWatch implements TraceSink {
  readonly steps: StepOptions = { stack: true, memory: false }
  readonly #recorded: Uint32Array | undefined
  #digests = new Uint32Array(1024)
  #count = 0
  #limbs: Uint32Array = new Uint32Array(0)
  #pc = 0
  #opcode = 0
  #depth = 0
  #gas = 0
  #divergence: StepPlace | undefined

  constructor(recorded: Uint32Array | undefined) {
    this.#recorded = recorded
  }

  /** Number of steps so far. */
  get count(): number {
    return this.#count
  }

  /** The first step that differs from the recorded run. */
  get divergence(): StepPlace | undefined {
    return this.#divergence
  }

  /** The latest step. */
  get last(): StepPlace | undefined {
    return this.#count === 0 ? undefined : this.#place()
  }

  digests(): Uint32Array {
    return this.#digests.slice(0, this.#count)
  }

  onEvent(): void {}

  onStep(step: StepRecord): void {
    if (this.#limbs.buffer !== step.bytes.buffer) this.#limbs = new Uint32Array(step.bytes.buffer)
    const digest = stepDigest(step, this.#limbs)
    if (this.#count === this.#digests.length) this.#grow()
    this.#digests[this.#count++] = digest
    this.#pc = step.pc
    this.#opcode = step.opcode
    this.#depth = step.depth
    this.#gas = step.gas
    if (this.#divergence !== undefined || this.#recorded === undefined) return
    if (this.#recorded[this.#count - 1] !== digest) this.#divergence = this.#place()
  }

  #place(): StepPlace {
    return {
      step: this.#count - 1,
      pc: this.#pc,
      opcode: this.#opcode,
      depth: this.#depth,
      gas: this.#gas,
    }
  }

  #grow(): void {
    const longer = new Uint32Array(2 * this.#digests.length)
    longer.set(this.#digests)
    this.#digests = longer
  }
}
