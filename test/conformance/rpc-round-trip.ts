import { isDeepStrictEqual } from 'node:util'
import { attempt, type CaseFilter, type Machines, type Suite, type VectorFile } from './case.ts'
import { difference } from './difference.ts'
import { answerImported, chainFolderOf } from './rpc-imported-chain.ts'

/** A request and its response. Values of the response are checked unless the file says otherwise. */
interface RoundTrip {
  readonly request: string
  readonly response: unknown
}

/** Parses the round trips of a file: `>>` starts a request, `<<` a response, `//` a comment. */
function parseRoundTrips(text: string): RoundTrip[] {
  const trips: RoundTrip[] = []
  let request: string | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('>>')) request = line.slice(2).trim()
    if (!line.startsWith('<<') || request === undefined) continue
    trips.push({ request, response: JSON.parse(line.slice(2)) })
    request = undefined
  }
  return trips
}

/** Error messages differ between clients and are not compared. */
function withoutErrorText(response: unknown): unknown {
  const { error } = response as { readonly error?: object }
  if (error === undefined) return response
  return { ...(response as object), error: { ...error, message: '' } }
}

/** Members that the specification lets a client omit. */
const OPTIONAL: ReadonlySet<string> = new Set(['deleteStrategy'])

/** Returns true if the member names are addresses or nonces, so that any of them may occur. */
function isMap(object: object): boolean {
  const names = Object.keys(object)
  return names.length > 0 && names.every((name) => /^(0x[0-9a-fA-F]{40}|[0-9]+)$/.test(name))
}

/** Returns where a value's shape differs from the expected one: another type, or a missing or additional member. */
function shapeDifference(got: unknown, want: unknown, path = ''): string | undefined {
  const kind = (value: unknown) =>
    value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  if (kind(got) !== kind(want)) return `${path}: expected ${kind(want)}, got ${kind(got)}`
  if (typeof got === 'string') {
    const isHex = (text: unknown) => /^0x[0-9a-fA-F]*$/.test(String(text))
    return isHex(got) === isHex(want) ? undefined : `${path}: expected ${want}, got ${got}`
  }
  if (Array.isArray(got)) {
    const [first] = want as readonly unknown[]
    if (first === undefined) return undefined
    return got.map((item, i) => shapeDifference(item, first, `${path}[${i}]`)).find(Boolean)
  }
  if (typeof got !== 'object' || got === null) return undefined
  if (isMap(want as object)) {
    const [one] = Object.values(want as object)
    return shapeDifference(Object.values(got), [one], path)
  }
  const theirs = want as Readonly<Record<string, unknown>>
  for (const [name, value] of Object.entries(got)) {
    if (!(name in theirs)) return `${path}.${name}: not expected`
    const inside = shapeDifference(value, theirs[name], `${path}.${name}`)
    if (inside !== undefined) return inside
  }
  const missing = Object.keys(theirs).find((name) => !(name in got) && !OPTIONAL.has(name))
  return missing === undefined ? undefined : `${path}.${missing}: missing`
}

/** Traces are compared by value even if the specification only asks for their shape: the shape of steps varies. */
function isTrace(request: string): boolean {
  return request.includes('"debug_trace')
}

async function runTrips(machines: Machines, file: VectorFile): Promise<string | undefined> {
  const text = file.content as string
  const isShapeOnly = text.includes('speconly:')
  for (const { request, response } of parseRoundTrips(text)) {
    const answer: unknown = await answerImported(machines, chainFolderOf(file.path), request)
    if (isShapeOnly && !isTrace(request)) {
      const off = shapeDifference(answer, response)
      if (off !== undefined) return `the shape of the answer\n${off}`
      continue
    }
    const got = withoutErrorText(answer)
    const want = withoutErrorText(response)
    if (!isDeepStrictEqual(got, want)) return `the answer\n${difference(answer, response)}`
  }
  return undefined
}

async function* runFile(machines: Machines, file: VectorFile, filter: CaseFilter) {
  const [name = ''] = file.path.split('/').slice(-1)
  if (!filter(name)) return
  try {
    yield { name, failure: await runTrips(machines, file) }
  } catch (thrown) {
    yield attempt(name, () => {
      throw thrown
    })
  }
}

/** Recorded JSON-RPC round trips against an imported chain (ethereum/execution-apis). */
export const rpcRoundTrips: Suite = {
  recognises: ({ path }) => path.endsWith('.io'),
  run: runFile,
}
