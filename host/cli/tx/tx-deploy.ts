import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { parseBytes, readHexBytes } from '../option/bytes-argument.ts'
import { submitTransaction } from './submit.ts'
import { addTxFlags, amountFlag, type TxFlags } from './tx-flags.ts'

interface DeployFlags extends TxFlags {
  readonly args?: string
  readonly value?: bigint
}

/** The creation code in compiler output: solc's standard JSON, Hardhat's, and Foundry's. */
interface Artifact {
  readonly bytecode?: string | { readonly object?: string }
  readonly bin?: string
  readonly evm?: { readonly bytecode?: { readonly object?: string } }
}

function codeText(text: string): string | undefined {
  if (!text.trimStart().startsWith('{')) return text.trim()
  const { bytecode, bin, evm } = JSON.parse(text) as Artifact
  return typeof bytecode === 'string'
    ? bytecode
    : (bytecode?.object ?? bin ?? evm?.bytecode?.object)
}

function invalid(text: string, hint: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', text, { hint })
}

/** Returns the creation code in a compiler's output file. @throws INVALID_ARGUMENT */
function readCode(path: string): Uint8Array {
  let code: string | undefined
  try {
    code = codeText(readFileSync(path, 'utf8'))
  } catch (error) {
    throw invalid(`<file>: cannot read ${path}: ${messageOf(error)}`, 'name a compiler output file')
  }
  if (code?.includes('__')) {
    throw invalid(`<file>: the code of ${path} has unlinked libraries`, 'link them first')
  }
  const bytes = code === undefined ? undefined : readHexBytes(code)
  if (bytes !== undefined && bytes.length > 0) return bytes
  throw invalid(
    `<file>: ${path} contains no creation code`,
    'name a .bin file, or JSON output of solc, Hardhat or Foundry',
  )
}

export function defineTxDeploy(command: Command): void {
  command
    .argument('<from>', 'name or address of the key that pays and signs')
    .argument('<file>', 'creation code: hex, or the JSON of solc, Hardhat or Foundry')
    .option('--args <HEX>', 'ABI-encoded constructor arguments')
    .option('--value <AMOUNT>', 'initial balance of the contract', amountFlag)
  addTxFlags(command).action(async (from: string, file: string, flags: DeployFlags) => {
    const args = flags.args === undefined ? EMPTY_BYTES : parseBytes(flags.args, '--args')
    const data = concatBytes([readCode(file), args])
    await submitTransaction(from, { to: undefined, value: flags.value ?? 0n, data }, flags)
  })
}
