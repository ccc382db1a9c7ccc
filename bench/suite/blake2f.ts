import { _BLAKE2b } from '@noble/hashes/blake2.js'
import { PrecompileModule } from '../../test/unit/precompile/precompile-module.ts'
import type { PrecompileCase } from './suite.ts'

const BLAKE2F = 0x09
/** rounds, h, m, t and the final flag (EIP-152). */
const INPUT_LENGTH = 213

/** Private parts of the hasher; it always runs twelve rounds. */
interface NobleState {
  length: number
  set(...words: number[]): void
  get(): number[]
  compress(message: Uint32Array, offset: number, isLast: boolean): void
}

/** BLAKE2F by Lockstep and, if possible, @noble/hashes. */
export async function openBlake2fSuite(): Promise<readonly PrecompileCase[]> {
  const table = await PrecompileModule.open()
  const makeInput = (rounds: number): Uint8Array => {
    const input = Uint8Array.from({ length: INPUT_LENGTH }, (_, i) => (i * 37 + 11) & 0xff)
    const view = new DataView(input.buffer)
    view.setUint32(0, rounds)
    // An offset within the range of numbers, and the final flag
    input.fill(0, 196)
    view.setUint32(196, 0x01_2345, true)
    view.setUint8(212, 1)
    return input
  }
  const own = (input: Uint8Array) => ({
    engine: 'lockstep',
    run: () => table.run(BLAKE2F, input),
  })
  const short = makeInput(12)
  const long = makeInput(100_000)
  return [
    {
      precompile: 'blake2f',
      input: '12 rounds',
      address: BLAKE2F,
      data: short,
      gas: 12,
      contenders: [own(short), { engine: 'noble', run: () => compressByNoble(short) }],
    },
    {
      precompile: 'blake2f',
      input: '100000 rounds',
      address: BLAKE2F,
      data: long,
      gas: 100_000,
      contenders: [own(long)],
    },
  ]
}

function compressByNoble(input: Uint8Array): Uint8Array {
  const hasher = new _BLAKE2b() as unknown as NobleState
  const words = new Uint32Array(input.slice(4, 212).buffer)
  hasher.set(...words.subarray(0, 16))
  hasher.length = words[48] as number
  hasher.compress(words.subarray(16, 48), 0, input[212] === 1)
  return new Uint8Array(Uint32Array.from(hasher.get()).buffer)
}
