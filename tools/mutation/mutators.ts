import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'

export const MUTATOR_NAMES = ['comparison', 'await', 'constant', 'condition', 'statement'] as const
export type MutatorName = (typeof MUTATOR_NAMES)[number]

/** A change of a source file: `replacement` replaces the text from `start` to `end`. */
export interface Mutation {
  readonly mutator: MutatorName
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** A node with the children that the mutators inspect; which of them it has depends on its kind. */
type Inspected = Node & {
  readonly expression: Inspected
  readonly condition: Inspected
  readonly left: Inspected
  readonly operator: SyntaxKind
  readonly operatorToken: Node
  readonly name: Node
}

/** Each comparison with its nearest alternative: `<` and `<=` differ only at the bound. */
const FLIPPED: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['==', '!='],
  ['!=', '=='],
])

const UPDATES: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.PlusPlusToken,
  SyntaxKind.MinusMinusToken,
])

const NUMBERS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
])

/** Returns a number literal plus one, or undefined if it is not an integer. */
function nextNumber(written: string): string | undefined {
  const [, digits = '', suffix = ''] = /^([\w.]*?)(n?)$/.exec(written.replaceAll('_', '')) ?? []
  if (!/^(0x[\da-f]+|0b[01]+|0o[0-7]+|\d+)$/i.test(digits)) return undefined
  const next = BigInt(digits) + 1n
  return `${/^0x/i.test(digits) ? `0x${next.toString(16)}` : next}${suffix}`
}

/** Whether a number names a member or type, so that another one would be invalid. */
function isName(node: Node): boolean {
  const parent = node.parent as Inspected
  return parent.kind === SyntaxKind.LiteralType || parent.name === node
}

function isAssignment(node: Inspected): boolean {
  if (node.kind !== SyntaxKind.BinaryExpression) return false
  const { kind } = node.operatorToken
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment
}

/** Whether a statement can be removed: it calls, assigns or counts. */
function isRemovable(expression: Inspected): boolean {
  if (expression.kind === SyntaxKind.AwaitExpression) return isRemovable(expression.expression)
  if (expression.kind === SyntaxKind.CallExpression) {
    return expression.expression.kind !== SyntaxKind.SuperKeyword
  }
  const isUpdate =
    expression.kind === SyntaxKind.PostfixUnaryExpression ||
    expression.kind === SyntaxKind.PrefixUnaryExpression
  return isAssignment(expression) || (isUpdate && UPDATES.has(expression.operator))
}

/** Returns the mutations of a file by all mutators, in source order. */
export function mutationsOf(file: SourceFile): Mutation[] {
  const found: Mutation[] = []
  const textOf = (node: Node) => file.text.slice(node.getStart(file), node.end)
  const replace = (mutator: MutatorName, node: Node, replacement: string | undefined) => {
    if (replacement === undefined) return
    found.push({ mutator, start: node.getStart(file), end: node.end, replacement })
  }
  const visit = (visited: Node): void => {
    const node = visited as Inspected
    if (node.kind === SyntaxKind.BinaryExpression) {
      replace('comparison', node.operatorToken, FLIPPED.get(textOf(node.operatorToken)))
    }
    if (node.kind === SyntaxKind.ExpressionStatement) {
      const { expression } = node
      // An awaited value would become a promise: tsc rejects most of these.
      if (expression.kind === SyntaxKind.AwaitExpression) {
        replace('await', expression, textOf(expression.expression))
      }
      if (isRemovable(expression)) replace('statement', node, ';')
    }
    if (NUMBERS.has(node.kind) && !isName(node)) replace('constant', node, nextNumber(textOf(node)))
    if (node.kind === SyntaxKind.IfStatement || node.kind === SyntaxKind.WhileStatement) {
      replace('condition', node.expression, `!(${textOf(node.expression)})`)
    }
    if (node.kind === SyntaxKind.ConditionalExpression) {
      replace('condition', node.condition, `!(${textOf(node.condition)})`)
    }
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

/** Returns the text of a file after a mutation. */
export function mutate(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end)
}
