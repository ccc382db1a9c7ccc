// Changes one thing of host/ or assembly/ at a time and checks whether the fast tests notice. A surviving mutant is
// behaviour without a test, or a change without effect. Everything runs in copies of the checkout: one with the
// mutant, one without.
import { randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeRandom } from '../../test/support/random.ts'
import { readDependencies } from '../ci/dependency-graph.ts'
import { relatedTests } from '../ci/related-tests.ts'
import { filesBelow } from '../import-graph.ts'
import { CheckoutCopy } from './checkout-copy.ts'
import { type Mutant, MutantDraw } from './draw.ts'
import { mutate } from './mutators.ts'
import { Parser } from './parser.ts'
import { describeFolders, describeMutant, type JudgedMutant } from './report.ts'
import { judge } from './verdict.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const USAGE = `Usage: npm run -s mutate -- [flags]
  --count 60      mutants to judge, spread over the folders of host/ and assembly/
  --seed <n>      repeats the draw of an earlier run of the same tree
  --from 1        number of the first mutant to judge; earlier ones are only drawn
  --only <n>      judges only the mutant of this number
  --seconds 180   for the tests of one mutant
  --list          prints the mutants and judges none
  --json <file>   writes the verdict on each
`

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
    from: { type: 'string', default: '1' },
    only: { type: 'string' },
    seconds: { type: 'string', default: '180' },
    list: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const seed = Number(values.seed)
const first = Number(values.only ?? values.from)
const count = values.only === undefined ? Number(values.count) : 1
const seconds = Number(values.seconds)
if (![seed, first, count, seconds].every((number) => Number.isSafeInteger(number) && number >= 0)) {
  process.stderr.write(USAGE)
  process.exit(64)
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const isFastTest = (path: string) => path.endsWith('.test.ts') && !path.endsWith('.slow.test.ts')

const parser = new Parser()
const paths = ['host', 'assembly'].flatMap((folder) => filesBelow(ROOT, folder))
const draw = new MutantDraw(paths, read, parser, makeRandom(seed))
const graph = readDependencies(ROOT)
const copies = values.list
  ? undefined
  : { mutated: new CheckoutCopy(ROOT), clean: new CheckoutCopy(ROOT) }
const judged: JudgedMutant[] = []

async function judgeIn(
  { mutated, clean }: NonNullable<typeof copies>,
  mutant: Mutant,
): Promise<JudgedMutant> {
  const { path, mutation } = mutant
  const started = performance.now()
  mutated.write(path, mutate(read(path), mutation))
  const tests = relatedTests(graph, [path], isFastTest)
  const verdict = await judge({ mutated, clean }, tests, seconds)
  mutated.restore(path)
  return { mutant, ...verdict, seconds: (performance.now() - started) / 1000 }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
process.on('exit', () => {
  copies?.mutated.remove()
  copies?.clean.remove()
})
process.stdout.write(`mutants of seed ${seed}\n`)
try {
  for (let number = 1; number < first; number++) draw.next()
  for (let listed = 0; judged.length < count && listed < count; ) {
    const mutant = draw.next()
    if (copies === undefined) {
      listed++
      const { number, path, line, mutation, before, after } = mutant
      process.stdout.write(
        `${number}. ${path}:${line} ${mutation.mutator}\n     - ${before}\n     + ${after}\n`,
      )
      continue
    }
    const result = await judgeIn(copies, mutant)
    process.stdout.write(`${describeMutant(result)}\n`)
    if (result.outcome !== 'invalid') judged.push(result)
    else if (values.only !== undefined) break
    if (values.json !== undefined) {
      writeFileSync(values.json, `${JSON.stringify({ seed, mutants: judged }, undefined, 2)}\n`)
    }
  }
} finally {
  parser.close()
}
if (copies !== undefined) process.stdout.write(`\n${describeFolders(judged)}\n`)
