import { keccakP } from '@noble/hashes/sha3.js'
import { concatBytes } from '../../../base/bytes.ts'

// Merlin transcripts (merlin.cool), over the duplex STROBE-128 (STROBE protocol framework 1.0.2). The handshake of
// CometBFT's SecretConnection derives its challenge from one. No kept JavaScript library has them.

/** Bytes of a block at 128 bits of security: 200 less the capacity of 32 and 2 of padding. */
const RATE = 166

const FLAG = { I: 1, A: 2, C: 4, M: 16, K: 32 } as const

const encoder = new TextEncoder()

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

/** The operations of STROBE-128 that a transcript needs. */
class Strobe128 {
  readonly #state = new Uint8Array(200)
  readonly #words = new Uint32Array(this.#state.buffer)
  #at = 0
  #begin = 0

  constructor(protocol: string) {
    this.#state.set([1, RATE + 2, 1, 0, 1, 96])
    this.#state.set(encoder.encode('STROBEv1.0.2'), 6)
    keccakP(this.#words)
    this.metaAd(encoder.encode(protocol), false)
  }

  /** Absorbs bytes that describe the next operation. */
  metaAd(bytes: Uint8Array, isMore: boolean): void {
    if (!isMore) this.#operate(FLAG.M | FLAG.A)
    this.#absorb(bytes)
  }

  /** Absorbs associated data. */
  ad(bytes: Uint8Array): void {
    this.#operate(FLAG.A)
    this.#absorb(bytes)
  }

  /** Returns pseudorandom bytes that depend on everything absorbed so far. */
  prf(length: number): Uint8Array {
    this.#operate(FLAG.I | FLAG.A | FLAG.C)
    const bytes = new Uint8Array(length)
    for (let i = 0; i < length; i++) {
      bytes[i] = this.#state[this.#at] as number
      this.#state[this.#at++] = 0
      if (this.#at === RATE) this.#permute()
    }
    return bytes
  }

  #absorb(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#state[this.#at] = (this.#state[this.#at] as number) ^ byte
      this.#at++
      if (this.#at === RATE) this.#permute()
    }
  }

  #operate(flags: number): void {
    const begin = this.#begin
    this.#begin = this.#at + 1
    this.#absorb(Uint8Array.of(begin, flags))
    if ((flags & (FLAG.C | FLAG.K)) !== 0 && this.#at !== 0) this.#permute()
  }

  #permute(): void {
    const state = this.#state
    state[this.#at] = (state[this.#at] as number) ^ this.#begin
    state[this.#at + 1] = (state[this.#at + 1] as number) ^ 4
    state[RATE + 1] = (state[RATE + 1] as number) ^ 128
    keccakP(this.#words)
    this.#at = 0
    this.#begin = 0
  }
}

/** A Merlin transcript: both sides of a protocol append the same messages and get the same challenges. */
export class MerlinTranscript {
  readonly #strobe = new Strobe128('Merlin v1.0')

  constructor(protocol: string) {
    this.append('dom-sep', encoder.encode(protocol))
  }

  append(label: string, message: Uint8Array): void {
    this.#label(label, message.length)
    this.#strobe.ad(message)
  }

  challenge(label: string, length: number): Uint8Array {
    this.#label(label, length)
    return this.#strobe.prf(length)
  }

  #label(label: string, length: number): void {
    this.#strobe.metaAd(concatBytes([encoder.encode(label), uint32(length)]), false)
  }
}
