import { countField, field, listField, textField } from '../format/json-field.ts'

/** A node of solc's AST in JSON. */
export type AstNode = object

/** A range of bytes of a file. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** No source nests deeper, but an external AST might. */
const MAX_DEPTH = 64

/** Returns the range of a node; an empty one before the file if it has none. */
export function rangeOfNode(node: unknown): ByteRange {
  const [start = -1, length = 0] = (textField(node, 'src') ?? '').split(':').map(Number)
  return start >= 0 && length >= 0 ? { start, end: start + length } : { start: -1, end: -1 }
}

export function isAround({ start, end }: ByteRange, byte: number): boolean {
  return byte >= start && byte < end
}

export function kindOfNode(node: unknown): string {
  return textField(node, 'nodeType') ?? ''
}

/** The definitions of a compilation, by id, and its functions by place. */
export class AstIndex {
  readonly #byId = new Map<number, AstNode>()
  readonly #functions = new Map<string, AstNode[]>()

  /** `asts` by path. Those of compilers before 0.5 have other shapes and no definitions here. */
  constructor(asts: Iterable<readonly [path: string, ast: unknown]>) {
    for (const [path, ast] of asts) this.#add(ast, path, 0)
  }

  /** Returns a definition. */
  node(id: unknown): AstNode | undefined {
    return typeof id === 'number' ? this.#byId.get(id) : undefined
  }

  /** Returns the function or modifier around a byte of a file. */
  functionAt(path: string, byte: number): AstNode | undefined {
    return this.#functions.get(path)?.find((node) => isAround(rangeOfNode(node), byte))
  }

  #add(node: unknown, path: string, depth: number): void {
    if (depth > MAX_DEPTH || typeof node !== 'object' || node === null) return
    const id = countField(node, 'id')
    if (id !== undefined) this.#byId.set(id, node)
    const kind = kindOfNode(node)
    if (kind === 'FunctionDefinition' || kind === 'ModifierDefinition') {
      const list = this.#functions.get(path)
      if (list === undefined) this.#functions.set(path, [node])
      else list.push(node)
      return
    }
    for (const child of listField(node, 'nodes')) this.#add(child, path, depth + 1)
  }
}

/** Returns the variables of a parameter list. */
export function parametersOf(node: unknown, list: string): readonly unknown[] {
  return listField(field(node, list), 'parameters')
}
