/** One part of the store benchmark, in a process of its own: `process.ts <part> <layout> <seconds> <accounts>`. */
import { commitRates } from './commit-rates.ts'
import { LAYOUTS } from './layouts/layouts.ts'
import { lockstepLayout } from './layouts/lockstep.ts'
import { runStore } from './run.ts'
import { Accounts, EVM_BLOCK, MIXED_BLOCK } from './workload.ts'

function print(row: object): void {
  console.log(JSON.stringify({ bench: 'store', ...row }))
}

const [, , part = '', layoutName = '', seconds = '', accountCount = ''] = process.argv
const common = { accounts: new Accounts(Number(accountCount)), seconds: Number(seconds) }

if (part === 'layout') {
  const layout = LAYOUTS.find(({ name }) => name === layoutName)
  if (layout === undefined) throw new RangeError(`no layout ${layoutName}`)
  await runStore({ ...common, layout, shape: EVM_BLOCK }, print)
} else if (part === 'modules') {
  const layout = lockstepLayout(layoutName, 'lmdb', layoutName === 'split-on')
  await runStore({ ...common, layout, shape: MIXED_BLOCK }, print)
} else {
  const keys = common.accounts.count / 10
  print({ layout: 'lockstep', phase: 'commit', iavl_keys: keys, ...(await commitRates({ keys })) })
}
