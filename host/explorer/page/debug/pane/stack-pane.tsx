import { opcodeWords } from '../../decode/opcode/opcode-words.ts'
import type { Debugger } from '../../state/debug/debugger.ts'
import type { NamedWord } from './named-word.ts'
import { WordGrid } from './word-grid.tsx'

/** The stack before the opcode runs, top first, with the names of the opcode's operands. */
export function StackPane({ debug }: { readonly debug: Debugger }) {
  const step = debug.run.step.value
  if (step === undefined) return null
  const operands = opcodeWords(step.opcode, debug.revision)?.taken ?? []
  const changed = new Set(step.changed.stack)
  const words = step.stack
    .map((value, place): NamedWord => {
      const name = operands[step.stack.length - 1 - place]
      return {
        key: String(place),
        place: String(place),
        name,
        value,
        isChanged: changed.has(place),
        isTouched: name !== undefined,
        written: { kind: 'stack', place },
      }
    })
    .reverse()
  return (
    <WordGrid debug={debug} id="stack" label="Stack" words={words} none="The stack is empty." />
  )
}
