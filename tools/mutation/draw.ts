import { dirname } from 'node:path'
import { MUTATOR_NAMES, type Mutation, mutate, mutationsOf } from './mutators.ts'
import type { Parser } from './parser.ts'

/** A mutation of one file, numbered in the order of the draw. */
export interface Mutant {
  readonly number: number
  readonly path: string
  readonly line: number
  readonly mutation: Mutation
  readonly before: string
  readonly after: string
}

/**
 * Returns the folder of `host` or `assembly` that a mutant counts for. Files at their top level are folders of their
 * own.
 */
export function folderOf(path: string): string {
  const folders = dirname(path).split('/')
  // A subfolder of host/ holds folders of several purposes.
  return folders.slice(0, folders[0] === 'host' ? 3 : 2).join('/')
}

/** Whether a source is handwritten: a check compares generated files with their generator. */
export function isMutable(path: string): boolean {
  return /^(host|assembly)\/.*(?<!\.d)\.tsx?$/.test(path) && !path.includes('/generated/')
}

function pick<Value>(values: readonly Value[], random: () => number): Value | undefined {
  return values[Math.floor(random() * values.length)]
}

function shuffle<Value>(values: readonly Value[], random: () => number): Value[] {
  const keyed = values.map((value) => ({ value, key: random() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value)
}

/** Draws mutants endlessly, each folder once before one repeats. The same seed draws the same. */
export class MutantDraw {
  readonly #paths: readonly string[]
  readonly #read: (path: string) => string
  readonly #parser: Parser
  readonly #random: () => number
  readonly #drawn = new Set<string>()
  readonly #mutations = new Map<string, readonly Mutation[]>()
  #folders: string[] = []
  #count = 0

  constructor(
    paths: readonly string[],
    read: (path: string) => string,
    parser: Parser,
    random: () => number,
  ) {
    this.#paths = paths.filter(isMutable).sort()
    this.#read = read
    this.#parser = parser
    this.#random = random
  }

  next(): Mutant {
    for (let tries = 0; tries < 1000; tries++) {
      if (this.#folders.length === 0) {
        this.#folders = shuffle([...new Set(this.#paths.map(folderOf))], this.#random)
      }
      const folder = this.#folders.pop()
      const path = pick(
        this.#paths.filter((candidate) => folderOf(candidate) === folder),
        this.#random,
      )
      const mutant = path === undefined ? undefined : this.#drawOf(path)
      if (mutant !== undefined) return mutant
      // A folder whose files have nothing to change, such as one of only types, is skipped; others are tried again.
      if (folder !== undefined && this.#random() < 0.8) this.#folders.push(folder)
    }
    throw new Error('no file of host/ or assembly/ has anything left to mutate')
  }

  #mutationsOf(path: string, text: string, isJsx: boolean): readonly Mutation[] {
    const known = this.#mutations.get(path)
    if (known !== undefined) return known
    const file = this.#parser.parse(text, isJsx)
    const found = file === undefined ? [] : mutationsOf(file)
    this.#mutations.set(path, found)
    return found
  }

  #drawOf(path: string): Mutant | undefined {
    const text = this.#read(path)
    const isJsx = path.endsWith('x')
    const all = this.#mutationsOf(path, text, isJsx)
    const names = MUTATOR_NAMES.filter((name) => all.some(({ mutator }) => mutator === name))
    const name = pick(names, this.#random)
    const mutation = pick(
      all.filter(({ mutator }) => mutator === name),
      this.#random,
    )
    if (mutation === undefined) return undefined
    const key = `${path}:${mutation.start}:${mutation.mutator}`
    const after = mutate(text, mutation)
    if (this.#drawn.has(key) || this.#parser.parse(after, isJsx) === undefined) return undefined
    this.#drawn.add(key)
    const line = text.slice(0, mutation.start).split('\n').length
    return {
      number: ++this.#count,
      path,
      line,
      mutation,
      before: lineAt(text, mutation.start),
      after: lineAt(after, mutation.start),
    }
  }
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  return text.slice(start, end === -1 ? text.length : end).trim()
}
