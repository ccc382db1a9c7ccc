/**
 * Writes host/evm/chain-types/generated/payment-token.ts: the runtime code of contracts/PaymentToken.sol and the
 * slots of its state that genesis fills. node tools/generate-contracts.ts [--check]
 */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { encodeAbiParameters, type Hex, keccak256, numberToHex } from 'viem'
import { DEV_ACCOUNTS } from '../host/base/dev-accounts.ts'
import { lookup } from '../host/base/lookup.ts'
import { writeGenerated } from './generated-files.ts'

const GENERATOR = 'tools/generate-contracts.ts'

interface StorageVariable {
  readonly label: string
  readonly slot: string
}

interface CompiledContract {
  readonly evm: { readonly deployedBytecode: { readonly object: string } }
  readonly storageLayout: { readonly storage: readonly StorageVariable[] }
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<Record<string, Readonly<Record<string, CompiledContract>>>>
}

/** @throws {Error} with the compiler's own message, including for its warnings */
function compile(name: string): CompiledContract {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const file = `${name}.sol`
  const input = {
    language: 'Solidity',
    sources: {
      [file]: { content: readFileSync(new URL(`contracts/${file}`, import.meta.url), 'utf8') },
    },
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true, runs: 200 },
      // A comment would change the hash of the metadata.
      metadata: { bytecodeHash: 'none' },
      outputSelection: { [file]: { [name]: ['evm.deployedBytecode.object', 'storageLayout'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput
  if (output.errors !== undefined) {
    throw new Error(output.errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  }
  const contract = lookup(lookup(output.contracts, file) ?? {}, name)
  if (contract === undefined) throw new Error(`${file} has no contract ${name}`)
  return contract
}

function slotOf(contract: CompiledContract, label: string): bigint {
  const variable = contract.storageLayout.storage.find((each) => each.label === label)
  if (variable === undefined) throw new Error(`no variable ${label}`)
  return BigInt(variable.slot)
}

/** Returns the slot of a mapping's value: Solidity hashes the key before the slot of the mapping. */
function valueSlot(key: Hex, mapping: bigint): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [key, mapping]))
}

function paymentTokenSource(): string {
  const contract = compile('PaymentToken')
  const balances = slotOf(contract, 'balanceOf')
  return [
    `// Written by ${GENERATOR} from tools/contracts/PaymentToken.sol; do not edit.`,
    '',
    "import type { Hex } from '../../../base/hex.ts'",
    '',
    '/** Runtime code. */',
    `export const PAYMENT_TOKEN_CODE: Hex =\n  '0x${contract.evm.deployedBytecode.object}'`,
    '',
    '/** Slot of the supply. */',
    `export const PAYMENT_TOKEN_SUPPLY_SLOT: Hex =\n  '${numberToHex(slotOf(contract, 'totalSupply'), { size: 32 })}'`,
    '',
    '/** Slots of the balances of the development accounts, in their order. */',
    'export const PAYMENT_TOKEN_BALANCE_SLOTS: readonly Hex[] = [',
    ...DEV_ACCOUNTS.map(({ address }) => `  '${valueSlot(address, balances)}',`),
    ']',
    '',
  ].join('\n')
}

writeGenerated(GENERATOR, new URL('../host/evm/chain-types/generated/', import.meta.url), {
  'payment-token.ts': paymentTokenSource,
})
