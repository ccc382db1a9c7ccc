import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { formatData, parseData } from '../../../host/base/hex.ts'
import { type Revision, revisionNumber } from '../../../host/chain-types/revision.ts'
import { callPairingPrecompile } from '../../../host/engine/pairing.ts'
import { PrecompileModule } from './precompile-module.ts'

/** A row of the vector files of geth, which ethereumjs has taken over. */
interface Vector {
  readonly Name: string
  readonly Input: string
  readonly Expected?: string
  readonly ExpectedError?: string
  readonly Gas?: number
}

// The folder holds precompiles/geth and precompiles/ethereumjs, as their repositories lay them out.
const root = process.env.LOCKSTEP_VECTORS
const GETH = 'precompiles/geth/core/vm/testdata/precompiles'
const ETHEREUMJS = 'precompiles/ethereumjs/packages/evm/test/precompiles/bls'

const FILES: readonly (readonly [file: string, id: number, revision: Revision])[] = [
  [`${GETH}/blake2F.json`, 0x09, 'Istanbul'],
  [`${GETH}/fail-blake2f.json`, 0x09, 'Istanbul'],
  [`${GETH}/modexp_eip2565.json`, 0x05, 'Berlin'],
  [`${GETH}/modexp_eip7883.json`, 0x05, 'Osaka'],
  [`${GETH}/bn256Add.json`, 0x06, 'Istanbul'],
  [`${GETH}/blsG1Add.json`, 0x0b, 'Prague'],
  [`${GETH}/blsG1Mul.json`, 0x0c, 'Prague'],
  [`${GETH}/blsG1MultiExp.json`, 0x0c, 'Prague'],
  [`${GETH}/blsG2Add.json`, 0x0d, 'Prague'],
  [`${GETH}/blsG2Mul.json`, 0x0e, 'Prague'],
  [`${GETH}/blsG2MultiExp.json`, 0x0e, 'Prague'],
  [`${GETH}/blsPairing.json`, 0x0f, 'Prague'],
  [`${GETH}/blsMapG1.json`, 0x10, 'Prague'],
  [`${GETH}/fail-blsG1Add.json`, 0x0b, 'Prague'],
  [`${GETH}/fail-blsG1Mul.json`, 0x0c, 'Prague'],
  [`${GETH}/fail-blsG1MultiExp.json`, 0x0c, 'Prague'],
  [`${GETH}/fail-blsG2Add.json`, 0x0d, 'Prague'],
  [`${GETH}/fail-blsG2MultiExp.json`, 0x0e, 'Prague'],
  [`${GETH}/fail-blsPairing.json`, 0x0f, 'Prague'],
  [`${GETH}/fail-blsMapG1.json`, 0x10, 'Prague'],
  [`${ETHEREUMJS}/add_G1_bls.json`, 0x0b, 'Prague'],
  [`${ETHEREUMJS}/mul_G1_bls.json`, 0x0c, 'Prague'],
  [`${ETHEREUMJS}/add_G2_bls.json`, 0x0d, 'Prague'],
  [`${ETHEREUMJS}/mul_G2_bls.json`, 0x0e, 'Prague'],
  [`${ETHEREUMJS}/multiexp_G2_bls.json`, 0x0e, 'Prague'],
  [`${ETHEREUMJS}/pairing_check_bls.json`, 0x0f, 'Prague'],
  [`${ETHEREUMJS}/map_fp_to_G1_bls.json`, 0x10, 'Prague'],
  [`${ETHEREUMJS}/map_fp2_to_G2_bls.json`, 0x11, 'Prague'],
  [`${ETHEREUMJS}/fail-add_G1_bls.json`, 0x0b, 'Prague'],
  [`${ETHEREUMJS}/fail-mul_G1_bls.json`, 0x0c, 'Prague'],
  [`${ETHEREUMJS}/fail-multiexp_G1_bls.json`, 0x0c, 'Prague'],
  [`${ETHEREUMJS}/fail-add_G2_bls.json`, 0x0d, 'Prague'],
  [`${ETHEREUMJS}/fail-mul_G2_bls.json`, 0x0e, 'Prague'],
  [`${ETHEREUMJS}/fail-multiexp_G2_bls.json`, 0x0e, 'Prague'],
  [`${ETHEREUMJS}/fail-pairing_check_bls.json`, 0x0f, 'Prague'],
  [`${ETHEREUMJS}/fail-map_fp2_to_G2_bls.json`, 0x11, 'Prague'],
]

const toBytes = (hex: string): Uint8Array => parseData(hex.startsWith('0x') ? hex : `0x${hex}`)

describe('precompile vectors', () => {
  let table: PrecompileModule

  beforeAll(async () => {
    table = await PrecompileModule.open()
  })

  const run = (id: number, revision: number, input: Uint8Array): Uint8Array | undefined => {
    const address = bigintToBytes(BigInt(id), 20)
    expect(table.id(address, revision)).toBe(id)
    return table.isHost(id, revision) ? callPairingPrecompile(address, input) : table.run(id, input)
  }

  for (const [file, id, revision] of FILES) {
    const path = `${root}/${file}`
    it(`pass: ${file}`, { timeout: 120_000 }, ({ skip }) => {
      if (root === undefined) return skip('LOCKSTEP_VECTORS names no folder')
      if (!existsSync(path)) return skip(`${path} does not exist`)
      const vectors = JSON.parse(readFileSync(path, 'utf8')) as Vector[]
      expect(vectors.length).toBeGreaterThan(0)
      for (const { Name, Input, Expected, ExpectedError, Gas } of vectors) {
        const input = toBytes(Input)
        const number = revisionNumber(revision)
        if (Gas !== undefined) expect(table.gas(id, input, number), Name).toBe(BigInt(Gas))
        const output = run(id, number, input)
        const wanted = ExpectedError === undefined ? formatData(toBytes(Expected ?? '')) : undefined
        expect(output === undefined ? undefined : formatData(output), Name).toBe(wanted)
      }
    })
  }
})
