import type { SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

/** The name of no file on disk, parsed as TypeScript, with or without JSX. */
const nameOf = (number: number, isJsx: boolean) => `/parsed/${number}.ts${isJsx ? 'x' : ''}`

/** Parses sources with TypeScript's own parser, without types. */
export class Parser {
  readonly #texts = new Map<string, string>()
  readonly #api = new API({
    cwd: '/',
    fs: {
      readFile: (name) => this.#texts.get(name),
      fileExists: (name) => (this.#texts.has(name) ? true : undefined),
    },
  })

  /** Returns the tree of a source, or undefined if it is not valid TypeScript. */
  parse(text: string, isJsx = false): SourceFile | undefined {
    const name = nameOf(this.#texts.size, isJsx)
    this.#texts.set(name, text)
    const project = this.#api.updateSnapshot({ openFiles: [name] }).getDefaultProjectForFile(name)
    if (project === undefined) throw new Error(`TypeScript did not open ${name}`)
    const { program } = project
    return program.getSyntacticDiagnostics(name).length > 0
      ? undefined
      : program.getSourceFile(name)
  }

  close(): void {
    this.#api.close()
  }
}
