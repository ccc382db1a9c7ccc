import { solcOutput } from '../../../support/contracts/solc.ts'

/** Parts of solc's standard JSON that tests read. */
export interface SolcOutput {
  readonly contracts: Readonly<Record<string, Readonly<Record<string, SolcContract>>>>
  readonly sources: Readonly<Record<string, { readonly id: number; readonly ast: object }>>
}

export interface SolcContract {
  readonly abi: readonly object[]
  readonly metadata: string
  readonly storageLayout: object
  readonly transientStorageLayout: object
  readonly evm: {
    readonly bytecode: SolcCode
    readonly deployedBytecode: SolcCode & { readonly immutableReferences: object }
  }
}

export interface SolcCode {
  readonly object: string
  readonly sourceMap: string
  readonly linkReferences: object
  readonly functionDebugData: object
}

export interface SolcInput {
  readonly language: 'Solidity'
  readonly sources: Readonly<Record<string, { readonly content: string }>>
  readonly settings: object
}

/** Compiles files by path with every output selected, and returns the standard JSON. */
export function compileAll(
  files: Readonly<Record<string, string>>,
  settings: object = {},
): { readonly input: SolcInput; readonly output: SolcOutput } {
  const input: SolcInput = {
    language: 'Solidity',
    sources: Object.fromEntries(
      Object.entries(files).map(([path, content]) => [path, { content }]),
    ),
    settings: { outputSelection: { '*': { '*': ['*'], '': ['ast'] } }, ...settings },
  }
  return { input, output: JSON.parse(solcOutput(JSON.stringify(input))) }
}
