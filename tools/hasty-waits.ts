import { parseSync } from 'rolldown/utils'

/** Wait bounds from this on are exceeded only by a fault, even on a busy machine, in ms. */
export const LEAST_WAIT_MS = 60_000

/** A bound that a busy machine may exceed, or an assertion on a duration. */
export interface HastyWait {
  readonly line: number
  readonly problem: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [member: string]: unknown
}

/** Functions whose last argument may be a bound, or an object with one. */
const BOUNDED: ReadonlySet<string> = new Set([
  ...['test', 'it', 'describe', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach'],
  ...['until', 'expect.poll', 'vi.waitFor', 'vi.waitUntil', 'vi.setConfig', 'onTestFinished'],
])

/** Functions bounded by a second by default. */
const SHORT_BY_DEFAULT: ReadonlySet<string> = new Set(['vi.waitFor', 'vi.waitUntil'])

const BOUND_NAMES: ReadonlySet<string> = new Set(['timeout', 'testTimeout', 'hookTimeout'])

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.type === 'string'
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode)
}

function* withDescendants(node: Node): Generator<Node, void> {
  yield node
  for (const child of childrenOf(node)) yield* withDescendants(child)
}

/**
 * Returns `test` for `test.skipIf(reason).each(rows)(name, run)`, and both words for `expect.poll` and `vi.waitFor`.
 */
function calledName(callee: Node): string {
  let node = callee
  let member = ''
  while (node.type !== 'Identifier') {
    if (node.type === 'MemberExpression') member = String((node.property as Node).name)
    const inner = node.type === 'MemberExpression' ? node.object : node.callee
    if (!isNode(inner)) return ''
    node = inner
  }
  const name = String(node.name)
  return name === 'vi' || (name === 'expect' && member === 'poll') ? `${name}.${member}` : name
}

function numberOf(value: unknown): number | undefined {
  return isNode(value) && typeof value.value === 'number' ? value.value : undefined
}

/** Returns the bounds that an argument sets: itself, or members of it. */
function boundsOf(argument: Node | undefined): number[] {
  const own = numberOf(argument)
  if (own !== undefined) return [own]
  if (argument?.type !== 'ObjectExpression') return []
  return (argument.properties as Node[])
    .filter(({ key }) => BOUND_NAMES.has(String((key as Node | undefined)?.name)))
    .flatMap(({ value }) => numberOf(value) ?? [])
}

function boundProblem(node: Node): string | undefined {
  const name = calledName(node.callee as Node)
  if (!BOUNDED.has(name)) return undefined
  const bounds = (node.arguments as Node[])
    .filter((argument, at) => at > 0 || argument.type === 'ObjectExpression')
    .flatMap(boundsOf)
  const least = Math.min(...bounds)
  if (least < LEAST_WAIT_MS) return `${name} is bounded by ${least} ms`
  if (bounds.length > 0 || !SHORT_BY_DEFAULT.has(name)) return undefined
  return `${name} is bounded by a second by default`
}

function isClock(node: Node): boolean {
  return node.type === 'CallExpression' && calledName(node.callee as Node) === 'performance'
}

function readsClock(node: Node): boolean {
  return [...withDescendants(node)].some(isClock)
}

/** Returns the names of constants that are a difference of times. */
function durationNames(nodes: readonly Node[]): ReadonlySet<unknown> {
  const names = nodes
    .filter(({ type, init }) => type === 'VariableDeclarator' && isNode(init))
    .filter(({ init }) => (init as Node).type === 'BinaryExpression' && readsClock(init as Node))
    .map(({ id }) => (id as Node).name)
  return new Set(names)
}

/** `expect(took).toBeLessThan(n)`. A lower bound also holds on a slow machine. */
function isDurationAssert({ callee }: Node, durations: ReadonlySet<unknown>): boolean {
  const { property, object } = callee as Node
  if (!isNode(property) || !String(property.name).startsWith('toBeLessThan')) return false
  if (!isNode(object) || !isNode(object.callee) || object.callee.name !== 'expect') return false
  const [argument] = object.arguments as Node[]
  if (argument === undefined) return false
  return readsClock(argument) || (argument.type === 'Identifier' && durations.has(argument.name))
}

/** Returns bounds of tests, hooks and waits below a minute, and assertions on durations. */
export function hastyWaitsIn(source: string): HastyWait[] {
  const nodes = [...withDescendants(parseSync('a.ts', source).program as unknown as Node)]
  const durations = durationNames(nodes)
  return nodes
    .filter(({ type }) => type === 'CallExpression')
    .flatMap((node) => {
      const problem = isDurationAssert(node, durations)
        ? 'a duration is bounded'
        : boundProblem(node)
      const line = source.slice(0, node.start).split('\n').length
      return problem === undefined ? [] : [{ line, problem }]
    })
}
