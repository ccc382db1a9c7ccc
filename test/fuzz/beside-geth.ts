/**
 * Runs generated blocks of Amsterdam here and with `evm t8n` of geth 1.17.10, and compares roots, gas, block access list
 * and requests: node test/fuzz/beside-geth.ts [--seconds N] [--seed S]. LOCKSTEP_EVM is the path of geth's evm. The last
 * line is a summary as JSON. It exits with 1 if there was a difference.
 */
import { parseArgs } from 'node:util'
import { openBlockComparison } from './block-comparison.ts'

const MOST_DIFFERENCES = 10
const PROGRESS_EVERY = 100

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
})
const seconds = Number(values.seconds)
const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const evm = process.env.LOCKSTEP_EVM
if (!(seconds > 0) || !Number.isSafeInteger(first) || evm === undefined) {
  console.error(
    'usage: --seconds takes a number above 0, --seed an integer, LOCKSTEP_EVM the path of the evm of geth 1.17.10',
  )
  process.exit(64)
}
console.log(`seeds from ${first}`)
const compare = await openBlockComparison(evm)
const started = performance.now()
const elapsed = () => (performance.now() - started) / 1000
let blocks = 0
let transactions = 0
let rejected = 0
let differences = 0
const summary = () => JSON.stringify({ blocks, transactions, rejected, differences })

for (let seed = first; elapsed() < seconds && differences < MOST_DIFFERENCES; seed++) {
  const compared = compare(seed)
  blocks++
  transactions += compared.transactions
  rejected += compared.ours.rejected.length
  if (blocks % PROGRESS_EVERY === 0) console.log(`seed ${seed}: ${summary()}`)
  if (compared.difference === undefined) continue
  differences++
  console.log(`DIFFERENCE at seed ${seed}: ${compared.difference}`)
}
console.log(summary())
process.exitCode = differences === 0 ? 0 : 1
