import { concatBytes } from '../../host/base/bytes.ts'
import { formatData } from '../../host/base/hex.ts'
import type { Revision } from '../../host/evm/chain-types/revision.ts'
import { attempt, type CaseFilter, type Machines, type Suite, type VectorFile } from './case.ts'
import { callContract } from './contract-call.ts'
import { parseBytes } from './fixture.ts'

/** A row of geth's vector files, which ethereumjs also uses. */
interface PrecompileVector {
  readonly Name: string
  readonly Input: string
  readonly Expected?: string
  readonly ExpectedError?: string
  readonly Gas?: number
}

type Precompile = readonly [name: RegExp, id: number, revision: Revision]

/** The precompile that a file tests, and the revision whose prices it states. The first matching row applies. */
const PRECOMPILES: readonly Precompile[] = [
  [/ecRecover/i, 0x01, 'Istanbul'],
  [/modexp_eip7883/i, 0x05, 'Osaka'],
  [/modexp_eip2565/i, 0x05, 'Berlin'],
  [/modexp/i, 0x05, 'Byzantium'],
  [/bn256Add/i, 0x06, 'Istanbul'],
  [/bn256ScalarMul/i, 0x07, 'Istanbul'],
  [/bn256Pairing/i, 0x08, 'Istanbul'],
  [/blake2f/i, 0x09, 'Istanbul'],
  [/pointEvaluation/i, 0x0a, 'Cancun'],
  [/blsG1Add|add_G1_bls/, 0x0b, 'Prague'],
  [/blsG1Mul|mul_G1_bls|multiexp_G1_bls/, 0x0c, 'Prague'],
  [/blsG2Add|add_G2_bls/, 0x0d, 'Prague'],
  [/blsG2Mul|mul_G2_bls|multiexp_G2_bls/, 0x0e, 'Prague'],
  [/blsPairing|pairing_check_bls/, 0x0f, 'Prague'],
  [/blsMapG1|map_fp_to_G1_bls/, 0x10, 'Prague'],
  [/blsMapG2|map_fp2_to_G2_bls/, 0x11, 'Prague'],
  [/p256Verify/i, 0x100, 'Osaka'],
  [/blsG1MultiExp/, 0x0c, 'Prague'],
  [/blsG2MultiExp/, 0x0e, 'Prague'],
]

function precompileOf(path: string): Precompile | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return PRECOMPILES.find(([pattern]) => pattern.test(name))
}

/** Size of a word of the measuring code's output, in bytes. */
const WORD = 32

/**
 * Returns code that calls a precompile with its own calldata and returns gas after, gas before, success and output.
 * Between the two GAS opcodes are the pushes of the operands (3 gas each), the access (700 by EIP-150, 100 for a
 * precompile by EIP-2929, 40 before) and the call.
 */
function measuringCode(id: number): Uint8Array {
  const [high, low] = [id >> 8, id & 0xff]
  // biome-ignore format: one step a line
  return Uint8Array.of(
    0x36, 0x60, 0x00, 0x60, 0x00, 0x37, // CALLDATACOPY(0, 0, CALLDATASIZE)
    0x5a, // GAS
    0x60, 0x00, 0x60, 0x00, 0x36, 0x60, 0x00, 0x60, 0x00, 0x61, high, low, 0x5a, 0xf1, // CALL
    0x5a, // GAS
    0x91, // SWAP2: gas before on top, success, gas after below
    0x60, 0x20, 0x52, // MSTORE(32, gas before): memory of the input is spent
    0x60, 0x40, 0x52, // MSTORE(64, success)
    0x60, 0x00, 0x52, // MSTORE(0, gas after)
    0x3d, 0x60, 0x00, 0x60, 0x60, 0x3e, // RETURNDATACOPY(96, 0, RETURNDATASIZE)
    0x60, 0x60, 0x3d, 0x01, 0x60, 0x00, 0xf3, // RETURN(0, RETURNDATASIZE + 96)
  )
}

/** Gas between the two GAS opcodes that is neither the precompile's nor the access. */
const OVERHEAD = 2n + 3n * 5n + 2n + 2n

function accessGas(revision: Revision): bigint {
  if (revision === 'Byzantium' || revision === 'Istanbul') return 700n
  return 100n
}

function runVector(
  machines: Machines,
  [, id, revision]: Precompile,
  vector: PrecompileVector,
): string | undefined {
  const outcome = callContract(machines, revision, measuringCode(id), parseBytes(vector.Input))
  if (!outcome.success) return `the caller failed: ${outcome.error}`
  const words = [0, 1, 2].map((i) =>
    BigInt(formatData(outcome.output.subarray(WORD * i, WORD * (i + 1)))),
  ) as [bigint, bigint, bigint]
  const [after, before, success] = words
  const output = formatData(outcome.output.subarray(3 * WORD))
  const isFailure = vector.ExpectedError !== undefined
  if ((success === 0n) !== isFailure) return isFailure ? 'succeeded' : 'failed'
  if (isFailure) return undefined
  const wanted = formatData(parseBytes(vector.Expected ?? ''))
  if (output !== wanted) return `output ${output}, want ${wanted}`
  const gas = before - after - OVERHEAD - accessGas(revision)
  if (vector.Gas !== undefined && gas !== BigInt(vector.Gas)) {
    return `gas ${gas}, want ${vector.Gas}`
  }
  return undefined
}

function* runFile(machines: Machines, file: VectorFile, filter: CaseFilter) {
  const precompile = precompileOf(file.path)
  for (const vector of file.content as PrecompileVector[]) {
    if (!filter(vector.Name, precompile?.[2])) continue
    yield attempt(vector.Name, () =>
      precompile === undefined
        ? 'the file names no precompile'
        : runVector(machines, precompile, vector),
    )
  }
}

export const precompileTests: Suite = {
  recognises: ({ content }) =>
    Array.isArray(content) && content.length > 0 && 'Input' in content[0] && 'Name' in content[0],
  run: runFile,
}

/** A row of geth's tables of two-operand opcodes. `Y` is on top of the stack. */
interface OpcodeVector {
  readonly X: string
  readonly Y: string
  readonly Expected: string
}

const OPCODES: Readonly<Record<string, number>> = {
  add: 0x01,
  mul: 0x02,
  sub: 0x03,
  div: 0x04,
  sdiv: 0x05,
  mod: 0x06,
  smod: 0x07,
  exp: 0x0a,
  signext: 0x0b,
  lt: 0x10,
  gt: 0x11,
  slt: 0x12,
  sgt: 0x13,
  eq: 0x14,
  and: 0x16,
  or: 0x17,
  xor: 0x18,
  byte: 0x1a,
  shl: 0x1b,
  shr: 0x1c,
  sar: 0x1d,
}

function runOpcode(machines: Machines, opcode: number, vector: OpcodeVector): string | undefined {
  const code = concatBytes([
    Uint8Array.of(0x7f),
    parseBytes(vector.X),
    Uint8Array.of(0x7f),
    parseBytes(vector.Y),
    // MSTORE(0, result), RETURN(0, 32)
    Uint8Array.of(opcode, 0x60, 0x00, 0x52, 0x60, 0x20, 0x60, 0x00, 0xf3),
  ])
  const { output } = callContract(machines, 'Osaka', code, new Uint8Array(0))
  const got = formatData(output)
  const want = formatData(parseBytes(vector.Expected))
  return got === want ? undefined : `${got}, want ${want}`
}

function* runOpcodes(machines: Machines, file: VectorFile, filter: CaseFilter) {
  const name = /testcases_(\w+)\.json$/.exec(file.path)?.[1] ?? ''
  const opcode = OPCODES[name]
  for (const [index, vector] of (file.content as OpcodeVector[]).entries()) {
    const caseName = `${name} ${index}`
    if (!filter(caseName)) continue
    yield attempt(caseName, () =>
      opcode === undefined ? `unknown opcode ${name}` : runOpcode(machines, opcode, vector),
    )
  }
}

export const opcodeTests: Suite = {
  recognises: ({ content }) =>
    Array.isArray(content) && content.length > 0 && 'X' in content[0] && 'Expected' in content[0],
  run: runOpcodes,
}
