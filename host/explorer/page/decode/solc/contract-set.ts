import { keccak256, toBytes } from 'viem'
import type { AbiRegistry } from '../abi/abi-registry.ts'
import type { Artifact, CompiledCode, DroppedFile, Source } from './artifact.ts'
import { CodePlaces } from './code-places.ts'
import { type CodeShape, isSameCode, shapeOf } from './code-shape.ts'

/** A contract identified by its code. */
export interface ContractMatch {
  readonly artifact: Artifact
  readonly code: CompiledCode
  readonly isCreation: boolean
  /** The metadata hash matches too: the sources are exactly those compiled. */
  readonly isExact: boolean
}

interface Candidate {
  readonly artifact: Artifact
  readonly code: CompiledCode
  readonly shape: CodeShape
}

function candidates(
  artifacts: readonly Artifact[],
  codeOf: (artifact: Artifact) => CompiledCode | undefined,
): Candidate[] {
  return artifacts.flatMap((artifact) => {
    const code = codeOf(artifact)
    return code === undefined ? [] : [{ artifact, code, shape: shapeOf(code.bytes) }]
  })
}

/** The contracts of all dropped files, which complete each other in any order. */
export class ContractSet {
  readonly files: readonly DroppedFile[]
  readonly artifacts: readonly Artifact[]
  readonly #runtime: readonly Candidate[]
  readonly #creation: readonly Candidate[]
  readonly #contents: ReadonlyMap<string, string>
  readonly #sources: readonly Source[]

  constructor(files: readonly DroppedFile[]) {
    this.files = files
    this.artifacts = files.flatMap((file) => file.artifacts)
    this.#runtime = candidates(this.artifacts, ({ runtime }) => runtime)
    this.#creation = candidates(this.artifacts, ({ creation }) => creation).sort(
      (a, b) => b.code.bytes.length - a.code.bytes.length,
    )
    this.#sources = files.flatMap((file) => file.sources)
    this.#contents = new Map(
      this.#sources.flatMap(({ content }) =>
        content === undefined ? [] : [[keccak256(toBytes(content)), content] as const],
      ),
    )
  }

  /** ABIs for any address: those of the contracts, and those dropped alone. */
  get books(): readonly AbiRegistry[] {
    const alone = this.files.map(({ abi }) => abi).filter((abi) => abi !== undefined)
    return [...alone, ...this.artifacts.map(({ abi }) => abi)]
  }

  /** Returns the contract of code, or of creation code with arguments; one with the same metadata is preferred. */
  match(onChain: Uint8Array, isCreation = false): ContractMatch | undefined {
    if (onChain.length === 0) return undefined
    const shape = shapeOf(onChain)
    const isSame = ({ code, shape: own }: Candidate, part: keyof CodeShape) =>
      isSameCode(shape[part], own[part], code, isCreation)
    const fitting = (isCreation ? this.#creation : this.#runtime).filter((each) =>
      isSame(each, 'masked'),
    )
    const isExact = (each: Candidate) => isSame(each, 'exact')
    const best = fitting.find(isExact) ?? fitting[0]
    if (best === undefined) return undefined
    return { artifact: best.artifact, code: best.code, isCreation, isExact: isExact(best) }
  }

  /** Returns the source positions of a contract's code. */
  places({ artifact, code }: ContractMatch): CodePlaces {
    const sources = new Map(
      [...this.#pathsOf(artifact)].map(([id, path]) => [id, this.#sourceOf(artifact, path)]),
    )
    return new CodePlaces(code, sources)
  }

  /**
   * Returns file numbers of the compilation. If it gives only its own file's number, uses those that other artifacts
   * agree on.
   */
  #pathsOf(artifact: Artifact): ReadonlyMap<number, string> {
    if (artifact.paths.size !== 1) return artifact.paths
    const paths = new Map<number, string | undefined>()
    for (const other of this.artifacts) {
      for (const [id, path] of other.paths) {
        if (!artifact.hashes.has(path)) continue
        paths.set(id, paths.has(id) && paths.get(id) !== path ? undefined : path)
      }
    }
    for (const [id, path] of artifact.paths) paths.set(id, path)
    return new Map([...paths].filter((entry): entry is [number, string] => entry[1] !== undefined))
  }

  #sourceOf(artifact: Artifact, path: string): Source {
    const named = this.#sources.filter((source) => source.path === path)
    const ast = named.find((source) => source.ast !== undefined)?.ast
    const hash = artifact.hashes.get(path)
    const content = hash === undefined ? this.#contentNamed(path, named) : this.#contents.get(hash)
    return { path, content, ast }
  }

  /** Without a hash: returns the content of the same path, or of the only file whose path has the same suffix. */
  #contentNamed(path: string, named: readonly Source[]): string | undefined {
    const given = named.find(({ content }) => content !== undefined)
    if (given !== undefined) return given.content
    const ends = this.#sources.filter(
      (source) => source.content !== undefined && isEndOf(path, source.path),
    )
    return ends.length === 1 ? ends[0]?.content : undefined
  }
}

/** Returns true if one path is a suffix of the other, in whole names. */
function isEndOf(one: string, other: string): boolean {
  return `/${one}`.endsWith(`/${other}`) || `/${other}`.endsWith(`/${one}`)
}
