import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bigintToBytes, concatBytes } from '../../host/base/bytes.ts'
import { PrecompileModule } from '../../test/unit/precompile/precompile-module.ts'
import type { PrecompileCase } from './suite.ts'

const P256_VERIFY = 0x100
const OPTIONS = { prehash: false, lowS: false } as const

/** P256VERIFY (EIP-7951) by Lockstep and @noble/curves. */
export async function openP256Suite(): Promise<readonly PrecompileCase[]> {
  const table = await PrecompileModule.open()
  const digest = sha256(Uint8Array.of(1, 2, 3))
  const secret = new Uint8Array(32).fill(0x46)
  const key = p256.getPublicKey(secret, false)
  const signature = p256.sign(digest, secret, OPTIONS)
  const input = concatBytes([digest, signature, key.subarray(1)])
  const valid = bigintToBytes(1n, 32)
  return [
    {
      precompile: 'p256verify',
      input: 'a signature',
      address: P256_VERIFY,
      data: input,
      gas: 6_900,
      contenders: [
        { engine: 'lockstep', run: () => table.run(P256_VERIFY, input) },
        {
          engine: 'noble',
          run: () => (p256.verify(signature, digest, key, OPTIONS) ? valid : undefined),
        },
      ],
    },
  ]
}
