// Finds objects that are indexed by a non-literal string: a client that sends `constructor` or `__proto__` would
// reach what every object inherits. Use `lookup` of host/base/lookup.ts or a Map, or check `Object.hasOwn` of the
// same object in the same function. Assignments are ignored.
import { fileURLToPath } from 'node:url'
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CHECKED = /^(?:host|tools)\//

/** Runs in the sandbox of scripts, whose tracers may inherit their functions. */
const SANDBOXED = 'host/evm/trace/script/prelude.ts'

/** A position in a file, with the indexed object and the index. */
interface Lookup {
  readonly node: Node
  readonly object: Node
  readonly key: Node
}

const FUNCTIONS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
])

const LITERALS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NumericLiteral,
  SyntaxKind.PrivateIdentifier,
])

type Members = Readonly<Record<'expression' | 'argumentExpression' | 'left' | 'right', Node>> & {
  readonly operatorToken: Node
}

/** Whether it is assigned or deleted; neither finds inherited members. */
function isAssigned(node: Node): boolean {
  const parent = node.parent as (Node & Partial<Members>) | undefined
  if (parent?.kind === SyntaxKind.DeleteExpression) return true
  return (
    parent?.kind === SyntaxKind.BinaryExpression &&
    parent.left === node &&
    parent.operatorToken?.kind === SyntaxKind.EqualsToken
  )
}

function lookupOf(node: Node): Lookup | undefined {
  const { expression, argumentExpression, left, right, operatorToken } = node as Node & Members
  if (node.kind === SyntaxKind.ElementAccessExpression && !isAssigned(node)) {
    return { node, object: expression, key: argumentExpression }
  }
  const isIn =
    node.kind === SyntaxKind.BinaryExpression && operatorToken.kind === SyntaxKind.InKeyword
  return isIn ? { node, object: right, key: left } : undefined
}

function lookupsOf(file: SourceFile): readonly Lookup[] {
  const found: Lookup[] = []
  const visit = (node: Node) => {
    const lookup = lookupOf(node)
    if (lookup !== undefined && !LITERALS.has(lookup.key.kind)) found.push(lookup)
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

/** Whether a key may be any string. */
function isAnyText(type: Type | undefined): boolean {
  if (type === undefined) return false
  if (type.isUnionType()) return type.getTypes().some(isAnyText)
  return (type.flags & TypeFlags.String) !== 0
}

function textOf(file: SourceFile, node: Node): string {
  return file.text.slice(node.getStart(file), node.end)
}

/** Whether a function around it checks the object itself, or the object is the prototype under test. */
function isGuarded(file: SourceFile, { node, object }: Lookup): boolean {
  const text = textOf(file, object)
  if (text === 'Object.prototype') return true
  for (let at: Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if (FUNCTIONS.has(at.kind)) return textOf(file, at).includes(`Object.hasOwn(${text},`)
  }
  return false
}

function faultsOf(file: SourceFile, path: string, checker: Checker): readonly string[] {
  const found = lookupsOf(file)
  if (found.length === 0) return []
  const types = checker.getTypeAtLocation(found.map(({ key }) => key))
  return found.flatMap((lookup, at) => {
    if (!isAnyText(types[at]) || isGuarded(file, lookup)) return []
    const start = lookup.node.getStart(file)
    const line = file.text.slice(0, start).split('\n').length
    const text = textOf(file, lookup.node).replace(/\s+/g, ' ')
    return [`${path}:${line}: ${text} finds what every object inherits: use lookup() of host/base`]
  })
}

const api = new API({ cwd: ROOT })
try {
  const snapshot = api.updateSnapshot({ openProjects: [`${ROOT}host/tsconfig.json`] })
  const [project] = snapshot.getProjects()
  if (project === undefined) throw new Error('host/tsconfig.json is not a valid project')
  const { program, checker } = project
  const faults = program.getSourceFileNames().flatMap((name) => {
    const path = name.startsWith(ROOT) ? name.slice(ROOT.length) : ''
    const file = CHECKED.test(path) && path !== SANDBOXED ? program.getSourceFile(name) : undefined
    return file === undefined ? [] : faultsOf(file, path, checker)
  })
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
} finally {
  api.close()
}
