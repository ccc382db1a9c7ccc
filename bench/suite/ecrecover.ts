import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, concatBytes } from '../../host/base/bytes.ts'
import { ANSWER_BYTES, BatchRecovery } from '../../host/evm/engine/batch-recovery.ts'
import { type Engine, loadEngine } from '../../host/evm/engine/engine.ts'
import { readModule } from '../../host/node/wasm.ts'
import { PrecompileModule } from '../../test/unit/precompile/precompile-module.ts'
import type { PrecompileCase } from './suite.ts'

/** The part of the `secp256k1` addon in use. */
interface NativeSecp256k1 {
  ecdsaRecover(
    signature: Uint8Array,
    recovery: number,
    digest: Uint8Array,
    compressed: boolean,
  ): Uint8Array
}

/** The part of `@bitauth/libauth` in use. */
interface Libauth {
  readonly secp256k1: {
    recoverPublicKeyUncompressed(
      signature: Uint8Array,
      recovery: number,
      digest: Uint8Array,
    ): Uint8Array | string
  }
}

export const ECRECOVER = 0x01
export const ECRECOVER_GAS = 3_000

interface RecoveryInput {
  readonly digest: Uint8Array
  /** The recovery bit, r and s. */
  readonly signed: Uint8Array
  /** Input of ECRECOVER. */
  readonly input: Uint8Array
}

/** Signatures in a batch, from one to the maximum of a call. */
const BATCHES = [1, 2, 16, 128, 512]

export function makeSignature(seed = 3): RecoveryInput {
  const digest = keccak_256(Uint8Array.of(1, 2, seed & 255, ...(seed < 256 ? [] : [seed >> 8])))
  const secret = new Uint8Array(32).fill(0x46)
  const signed = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' })
  const v = bigintToBytes(BigInt(27 + (signed[0] as number)), 32)
  return { digest, signed, input: concatBytes([digest, v, signed.subarray(1)]) }
}

/** ECRECOVER by Lockstep, libsecp256k1 natively and in WebAssembly, and @noble/curves; and in batches. */
export async function openEcrecoverSuite(): Promise<readonly PrecompileCase[]> {
  const peers = createRequire(new URL('../peers/package.json', import.meta.url))
  const native = peers('secp256k1/bindings.js') as NativeSecp256k1
  const libauth: Libauth = await import(pathToFileURL(peers.resolve('@bitauth/libauth')).href)
  const table = await PrecompileModule.open()

  const { digest, signed, input } = makeSignature()
  const recovery = signed[0] as number
  const signature = signed.slice(1)

  // The peers return a key; Lockstep also hashes it.
  const toOutput = (key: Uint8Array | undefined): Uint8Array | undefined =>
    key === undefined
      ? undefined
      : concatBytes([new Uint8Array(12), keccak_256(key.subarray(1)).subarray(12)])
  return [
    {
      precompile: 'ecrecover',
      input: 'a signature',
      address: ECRECOVER,
      data: input,
      gas: ECRECOVER_GAS,
      contenders: [
        { engine: 'lockstep', run: () => table.run(ECRECOVER, input) },
        {
          engine: 'secp256k1-native',
          run: () => native.ecdsaRecover(signature, recovery, digest, false),
          toOutput,
        },
        {
          engine: 'libauth',
          run: () => {
            const key = libauth.secp256k1.recoverPublicKeyUncompressed(signature, recovery, digest)
            return typeof key === 'string' ? undefined : key
          },
          toOutput,
        },
        {
          engine: 'noble',
          run: () =>
            secp256k1.Signature.fromBytes(signed, 'recovered')
              .recoverPublicKey(digest)
              .toBytes(false),
          toOutput,
        },
      ],
    },
    ...(await openBatches(native)),
  ]
}

/** Recovers the signers of a batch, next to the engine and the addon one by one. */
async function openBatches(native: NativeSecp256k1): Promise<readonly PrecompileCase[]> {
  const recovery = new BatchRecovery(await WebAssembly.compile(await readModule('recovery')))
  const engine = await loadEngine(await readModule('engine'))
  return BATCHES.map((count) => {
    const signatures = Array.from({ length: count }, (_, i) => makeSignature(i))
    const requests = concatBytes(
      signatures.map(({ digest, signed }) =>
        concatBytes([digest, signed.subarray(1), signed.subarray(0, 1)]),
      ),
    )
    return {
      precompile: 'recovery',
      input: `${count} signatures`,
      data: requests,
      gas: count * ECRECOVER_GAS,
      contenders: [
        { engine: 'lockstep', run: () => recovery.recover(requests), toOutput: addressesOf },
        { engine: 'lockstep-one-by-one', run: () => recoverByEngine(engine, signatures) },
        {
          engine: 'secp256k1-native',
          run: () =>
            concatBytes(
              signatures.map(({ digest, signed }) =>
                native.ecdsaRecover(signed.subarray(1), signed[0] as number, digest, false),
              ),
            ),
          toOutput: hashKeys,
        },
      ],
    }
  })
}

function recoverByEngine(engine: Engine, signatures: readonly RecoveryInput[]): Uint8Array {
  return concatBytes(
    signatures.map(({ digest, signed }) => {
      const parity = signed[0] === 1 ? 1 : 0
      const [r, s] = [signed.subarray(1, 33), signed.subarray(33)]
      return engine.recoverAddress(digest, parity, r, s) as Uint8Array
    }),
  )
}

function addressesOf(answers: Uint8Array | undefined): Uint8Array | undefined {
  return answers?.filter((_, i) => i % ANSWER_BYTES > 0)
}

function hashKeys(keys: Uint8Array | undefined): Uint8Array | undefined {
  if (keys === undefined) return undefined
  const hashes: Uint8Array[] = []
  for (let at = 0; at < keys.length; at += 65) {
    hashes.push(keccak_256(keys.subarray(at + 1, at + 65)).subarray(12))
  }
  return concatBytes(hashes)
}
