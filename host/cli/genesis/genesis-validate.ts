import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { LockstepError, messageOf } from '../../base/error.ts'
import { decodeGenesis } from '../../evm/chain-types/genesis-codec.ts'
import { genesisProblems } from '../../evm/chain-types/genesis-problems.ts'
import { decodeEthereumGenesis, isEthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'
import { chooseHome, homeOption } from '../option/home-option.ts'

interface ValidateFlags {
  readonly home?: string
  readonly json?: true
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new LockstepError('HOME_MISSING', `cannot read ${path}: ${messageOf(cause)}`, {
      hint: 'name a genesis.json, or run `lockstep init --chain-id <id>` first',
      cause,
    })
  }
}

/** Returns a message for every problem. */
function problemsOf(text: string): readonly string[] {
  if (isEthereumGenesis(text)) {
    try {
      decodeEthereumGenesis(text)
      return []
    } catch (thrown) {
      return [messageOf(thrown)]
    }
  }
  const problems = genesisProblems(text).map(({ message }) => message)
  if (problems.length > 0) return problems
  const { length } = decodeGenesis(text).validators
  return length === 1
    ? []
    : [`genesis.json: validators has ${length} entries; the embedded engine runs one`]
}

export function defineGenesisValidate(command: Command): void {
  command
    .argument('[file]', "genesis.json to check (default: the home's)")
    .addOption(homeOption())
    .option('--json', 'print an array of strings')
    .action((file: string | undefined, flags: ValidateFlags) => {
      const path = file ?? chooseHome(flags.home).config.genesis
      const problems = problemsOf(readText(path))
      if (flags.json === true) process.stdout.write(`${JSON.stringify(problems)}\n`)
      else
        process.stdout.write(
          problems.map((problem) => `${problem}\n`).join('') || `${path} is right\n`,
        )
      if (problems.length === 0) return
      const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
      throw new LockstepError('GENESIS_INVALID', `${path} has ${count}`)
    })
}
