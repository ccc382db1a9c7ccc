import { readFileSync } from 'node:fs'
import type { Abi } from 'viem'
import type { Hex } from '../../../host/base/hex.ts'
import { solcOutput } from './solc.ts'

export interface Contract {
  readonly abi: Abi
  /** Creation code. */
  readonly bytecode: Hex
}

interface CompilerOutput {
  readonly contracts?: Readonly<
    Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
  >
}

/**
 * Returns the contracts of a file in this folder by name, compiled by solc with the optimizer.
 * @throws Error with the compiler's message
 */
export function compile(file: string): ReadonlyMap<string, Contract> {
  const content = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solcOutput(JSON.stringify(input))) as CompilerOutput
  const contracts = new Map<string, Contract>()
  for (const [name, { abi, evm }] of Object.entries(output.contracts?.[file] ?? {})) {
    contracts.set(name, { abi, bytecode: `0x${evm.bytecode.object}` })
  }
  return contracts
}
