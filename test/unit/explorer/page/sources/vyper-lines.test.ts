import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Hex } from '../../../../../host/base/hex.ts'
import { ContractSet } from '../../../../../host/explorer/page/decode/solc/contract-set.ts'
import { readDropped } from '../../../../../host/explorer/page/decode/solc/read-dropped.ts'
import type { SolcContract } from '../solc-output.ts'
import { calldata, createdBy, failedRun } from './failing-run.ts'

// Recorded: the output of vyper-json 0.4.3 for the source, without what the explorer does not read.
const { source, output } = JSON.parse(
  readFileSync(new URL('./vyper-0.4.3.json', import.meta.url), 'utf8'),
) as {
  readonly source: string
  readonly output: { readonly contracts: { 'Purse.vy': { readonly Purse: SolcContract } } }
}
const purse = output.contracts['Purse.vy'].Purse
const contracts = new ContractSet([
  readDropped('output.json', JSON.stringify(output)),
  readDropped('Purse.vy', source),
])
const deployment: Hex = `0x${purse.evm.bytecode.object.replace(/^0x/, '')}`

test.each([
  { name: 'take', args: [9n], functionName: '_take' },
  { name: 'divide', args: [9n], functionName: 'divide' },
  { name: 'checked', args: [9n], functionName: 'checked' },
  { name: 'bare', args: [9n], functionName: 'bare' },
  { name: 'item', args: [1n], functionName: 'item' },
  { name: 'owned', args: [], functionName: 'owned' },
])(
  'a transaction that fails in $name of a Vyper contract is shown at its line',
  async ({ name, args, functionName }) => {
    const failing = { to: createdBy(0), input: calldata(purse, name, args) }
    const { stepper, position } = await failedRun(contracts, [deployment], failing)
    await stepper.close()
    const line = source.split('\n').findIndex((text) => text.endsWith(`# ${name}`)) + 1
    expect(position).toMatchObject({ path: 'Purse.vy', line, functionName })
  },
)
