/** The functions that map a precompile's id to its price and its implementation, in AssemblyScript. */
import { chooseByRevision, constantName, header } from './names.ts'
import { type Implementation, type LinearGas, PRECOMPILES } from './precompile.ts'
import { type ByRevision, REVISIONS } from './revision.ts'

function amountText(amount: number | ByRevision): string {
  if (typeof amount === 'number') return String(amount)
  return chooseByRevision(amount, (since) => `revision >= ${constantName(since)}`, String)
}

function inBrackets(amount: number | ByRevision): string {
  return typeof amount === 'number' ? String(amount) : `(${amountText(amount)})`
}

function linearGas({ base, each }: LinearGas): string {
  if (each === undefined) return amountText(base)
  const { amount, bytes, roundsUp } = each
  const length = roundsUp === true ? `(u64(length) + ${bytes - 1})` : 'u64(length)'
  return `${inBrackets(base)} + ${inBrackets(amount)} * (${length} / ${bytes})`
}

function call(implementation: Implementation, ...parameters: string[]): string {
  const [input, length, ...rest] = parameters
  const revision = implementation.byRevision === true ? ['revision'] : []
  return `${implementation.function}(${[input, length, ...revision, ...rest].join(', ')})`
}

/** One import for each file. */
function imports(): string[] {
  const files = new Map<string, Set<string>>()
  for (const { gas, runs } of PRECOMPILES) {
    for (const used of [gas, runs]) {
      if (typeof used === 'string' || !('file' in used)) continue
      const names = files.get(used.file) ?? new Set()
      files.set(used.file, names.add(used.function))
    }
  }
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, names]) => `import { ${[...names].sort().join(', ')} } from '../${file}'`)
}

function switchOver(
  cases: readonly (readonly [names: readonly string[], result: string])[],
): string[] {
  const lines = cases.flatMap(([names, result]) => [
    ...names.map((name) => `    case ${name}:`),
    `      return ${result}`,
  ])
  return ['  switch (id) {', ...lines]
}

/** Returns the first revision of each, in one case for all precompiles of that revision. */
function sinceCases(): [string[], string][] {
  return REVISIONS.flatMap((revision): [string[], string][] => {
    const names = PRECOMPILES.filter(({ since }) => since === revision).map(({ name }) => name)
    return names.length === 0 ? [] : [[names, constantName(revision)]]
  })
}

function usedRevisions(text: string): string[] {
  return REVISIONS.map(constantName).filter((name) => new RegExp(`\\b${name}\\b`).test(text))
}

export function precompileDispatchSource(): string {
  const inHost = PRECOMPILES.filter(({ runs }) => runs === 'host')
  const body = [
    '/** Returns the first revision that has the precompile, or one that never comes for any other id. */',
    'export function precompileSince(id: i32): i32 {',
    ...switchOver(sinceCases()),
    '    default:',
    '      return i32.MAX_VALUE',
    '  }',
    '}',
    '',
    '/** Returns the gas of a call before it runs; u64.MAX_VALUE if that is more than any block allows. */',
    'export function precompileGas(id: i32, input: usize, length: u32, revision: i32): u64 {',
    ...switchOver(
      PRECOMPILES.map(({ name, gas }) => [
        [name],
        'base' in gas ? linearGas(gas) : call(gas, 'input', 'length'),
      ]),
    ),
    '    default:',
    '      return u64.MAX_VALUE',
    '  }',
    '}',
    '',
    '/** Returns true if the host runs the precompile, in pairing.wasm; the engine still charges its gas. */',
    'export function isHostPrecompile(id: i32): bool {',
    ...switchOver([[inHost.map(({ name }) => name), 'true']]),
    '    default:',
    '      return false',
    '  }',
    '}',
    '',
    '/**',
    ' * Runs a precompile. Returns the length of its output at `out`, or -1 if the call fails and takes all',
    ' * its gas. `out` must not overlap the input; it holds at least 64 bytes, for ID as many as the input and for',
    ' * MODEXP as many as the modulus (at most MODEXP_MAX_OPERAND). Precompiles of the host fail here.',
    ' */',
    'export function runPrecompile(id: i32, input: usize, length: u32, revision: i32, out: usize): i32 {',
    ...switchOver(
      PRECOMPILES.flatMap(({ name, runs }) =>
        runs === 'host' ? [] : [[[name], call(runs, 'input', 'length', 'out')]],
      ),
    ),
    '    default:',
    '      return -1',
    '  }',
    '}',
  ]
  const text = body.join('\n')
  const ids = PRECOMPILES.map(({ name }) => name).join(', ')
  return [
    header('precompile.ts'),
    `import { ${ids} } from '../../generated/precompile'`,
    `import { ${usedRevisions(text).join(', ')} } from '../../generated/revision'`,
    ...imports(),
    '',
    text,
    '',
  ].join('\n')
}
