import { tmpdir } from 'node:os'
import { lookup } from '../../../host/base/lookup.ts'

/** The temporary folder of the run. This module loads once in a process, before any file has its own folder. */
export const RUN_FOLDER = tmpdir()

/** Set once by the native part of the HTTP server, which reads it when it is loaded. */
const KEPT_VARIABLES = ['UWS_HTTP_MAX_HEADERS_SIZE']

/** Resources that no file may leave open: servers, children, threads and file watchers. Clients pool their sockets. */
const RESOURCES = ['TCPServerWrap', 'PipeServerWrap', 'ProcessWrap', 'MessagePort', 'FSEventWrap']

function count(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (lookup(counts, name) ?? 0) + 1
  return counts
}

function listeners(): Readonly<Record<string, number>> {
  return Object.fromEntries(
    process
      .eventNames()
      // Libraries clean up at process exit, which affects no test file.
      .filter((name) => name !== 'exit')
      .map((name) => [String(name), process.listenerCount(name)]),
  )
}

function more(
  what: string,
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): string[] {
  return Object.entries(now).flatMap(([name, number]) => {
    const added = number - (lookup(before, name) ?? 0)
    return added > 0 ? [`${added} more ${what} ${name}`] : []
  })
}

/** State by which test files in one process could affect each other. */
export class ProcessState {
  readonly #variables = { ...process.env }
  readonly #globals = Object.getOwnPropertyDescriptors(globalThis)
  readonly #listeners = listeners()
  readonly #resources = count(process.getActiveResourcesInfo())
  readonly #folder = process.cwd()

  /** Returns descriptions of the differences since then. New globals are ignored: libraries define some. */
  changes(): readonly string[] {
    const names = new Set([...Object.keys(this.#variables), ...Object.keys(process.env)])
    const variables = [...names].filter(
      (name) =>
        !KEPT_VARIABLES.includes(name) &&
        lookup(this.#variables, name) !== lookup(process.env, name),
    )
    const globals = Object.entries(this.#globals).filter(([name, { value, get }]) => {
      const now = Object.getOwnPropertyDescriptor(globalThis, name)
      return !Object.is(now?.value, value) || now?.get !== get
    })
    const resources = Object.entries(count(process.getActiveResourcesInfo())).filter(([name]) =>
      RESOURCES.includes(name),
    )
    return [
      ...variables.map((name) => `variable ${name} changed`),
      ...globals.map(([name]) => `global ${name} changed`),
      ...more('listeners of', this.#listeners, listeners()),
      ...more('resources', this.#resources, Object.fromEntries(resources)),
      ...(process.cwd() === this.#folder ? [] : ['another working directory']),
    ]
  }
}
