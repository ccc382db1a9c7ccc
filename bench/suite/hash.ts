import { createHash } from 'node:crypto'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '../../host/base/bytes.ts'
import { readModule } from '../../host/node/wasm.ts'
import { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import { makeRandom } from '../../test/support/random.ts'
import { PrecompileModule } from '../../test/unit/precompile/precompile-module.ts'
import type { Contender, PrecompileCase } from './suite.ts'

const SHA256 = 0x02
const RIPEMD160 = 0x03

/** A storage slot's preimage, the longest input of one block of SHA-256 and of Keccak, longer inputs. */
const LENGTHS = [64, 119, 135, 1024, 16_384]

/** KECCAK256, SHA256 and RIPEMD160 by Lockstep, @noble/hashes and, for SHA256, Node itself. */
export async function openHashSuite(): Promise<readonly PrecompileCase[]> {
  const table = await PrecompileModule.open()
  const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))
  const random = makeRandom(1)
  return LENGTHS.flatMap((length) => {
    const data = Uint8Array.from({ length }, () => Math.floor(random() * 256))
    const words = Math.ceil(length / 32)
    const row = (
      precompile: string,
      address: number | undefined,
      gas: number,
      ...contenders: Contender[]
    ): PrecompileCase => {
      const common = { precompile, input: `${length} bytes`, data, gas, contenders }
      return address === undefined ? common : { ...common, address }
    }
    return [
      row(
        'keccak256',
        undefined,
        30 + 6 * words,
        { engine: 'lockstep', run: () => hasher.keccak256(data) },
        { engine: 'noble', run: () => keccak_256(data) },
      ),
      row(
        'sha256',
        SHA256,
        60 + 12 * words,
        { engine: 'lockstep', run: () => table.run(SHA256, data) },
        { engine: 'noble', run: () => sha256(data) },
        {
          engine: 'node',
          run: () => new Uint8Array(createHash('sha256').update(data).digest()),
        },
      ),
      row(
        'ripemd160',
        RIPEMD160,
        600 + 120 * words,
        { engine: 'lockstep', run: () => table.run(RIPEMD160, data) },
        {
          engine: 'noble',
          run: () => ripemd160(data),
          toOutput: (hash) =>
            hash === undefined ? undefined : concatBytes([new Uint8Array(12), hash]),
        },
      ),
    ]
  })
}
