import { field, listField, textField } from '../format/json-field.ts'

/** A function or modifier in a file, with its byte range. */
export interface FunctionRange {
  /** `Token.transfer`; the constructor of Token is `Token.constructor`. */
  readonly name: string
  readonly start: number
  readonly end: number
}

/** No source nests deeper, but an external AST might. */
const MAX_DEPTH = 64

const FUNCTIONS: readonly string[] = [
  'FunctionDefinition',
  'ModifierDefinition',
  'YulFunctionDefinition',
  // Vyper's.
  'FunctionDef',
]

/** Returns the kind of a node: `nodeType`, or `name` before solc 0.4.12 and in `legacyAST`; `ast_type` in Vyper. */
function kindOf(node: unknown): string | undefined {
  return textField(node, 'nodeType') ?? textField(node, 'ast_type') ?? textField(node, 'name')
}

function nameOf(node: unknown): string {
  const isLegacy = field(node, 'nodeType') === undefined && field(node, 'ast_type') === undefined
  const name = isLegacy ? textField(node, 'attributes', 'name') : textField(node, 'name')
  if (name !== undefined && name !== '') return name
  const isConstructor = field(node, 'attributes', 'isConstructor') === true
  return textField(node, 'kind') ?? (isConstructor ? 'constructor' : 'fallback')
}

function childrenOf(node: unknown): readonly unknown[] {
  const legacy = listField(node, 'children')
  if (legacy.length > 0) return legacy
  // Only nodes that may contain functions: contracts, their members, Yul blocks, modules of Vyper.
  return ['nodes', 'statements', 'body'].flatMap((name) => listField(node, name))
}

/** Returns the functions and modifiers of an AST, in file order. */
export function functionRanges(ast: unknown): FunctionRange[] {
  const found: FunctionRange[] = []
  const visit = (node: unknown, contract: string, depth: number) => {
    if (depth > MAX_DEPTH) return
    const kind = kindOf(node)
    if (kind !== undefined && FUNCTIONS.includes(kind)) {
      const [start, length] = (textField(node, 'src') ?? '').split(':').map(Number)
      if (start !== undefined && length !== undefined && start >= 0 && length >= 0) {
        const name = contract === '' ? nameOf(node) : `${contract}.${nameOf(node)}`
        found.push({ name, start, end: start + length })
      }
    }
    const inside = kind === 'ContractDefinition' ? nameOf(node) : contract
    for (const child of childrenOf(node)) visit(child, inside, depth + 1)
  }
  visit(ast, '', 0)
  return found
}

/** Returns the member names of each enum in an AST, keyed with and without the contract name. */
export function enumMembers(ast: unknown): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  const visit = (node: unknown, contract: string, depth: number) => {
    if (depth > MAX_DEPTH) return
    const kind = kindOf(node)
    if (kind === 'EnumDefinition') {
      const members = [...listField(node, 'members'), ...listField(node, 'children')].map(nameOf)
      found.set(contract === '' ? nameOf(node) : `${contract}.${nameOf(node)}`, members)
    }
    const inside = kind === 'ContractDefinition' ? nameOf(node) : contract
    for (const child of childrenOf(node)) visit(child, inside, depth + 1)
  }
  visit(ast, '', 0)
  return found
}

/** Returns the innermost function around a byte. */
export function functionAt(ranges: readonly FunctionRange[], byte: number): string | undefined {
  let best: FunctionRange | undefined
  for (const range of ranges) {
    if (range.start > byte || byte >= range.end) continue
    if (best === undefined || range.end - range.start < best.end - best.start) best = range
  }
  return best?.name
}
