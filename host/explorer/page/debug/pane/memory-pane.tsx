import { useSignal } from '@preact/signals'
import { formatData } from '../../../../base/hex.ts'
import type { Debugger } from '../../state/debug/debugger.ts'
import { formatOffset } from '../../state/debug/word.ts'
import { ByteGrid } from './byte-grid.tsx'
import { copyText } from './copy-text.ts'
import { memoryAccess } from './memory-access.ts'
import { describeMarks } from './memory-marks.ts'

/**
 * Memory before the opcode runs, with marks for the last change and the bytes that the opcode is about to read and
 * write.
 */
export function MemoryPane({ debug }: { readonly debug: Debugger }) {
  const active = useSignal<number | undefined>(undefined)
  const step = debug.run.step.value
  if (step === undefined) return null
  const { memory } = step
  const marks = { changed: step.changed.memory, ...memoryAccess(step.name, step.stack) }
  if (memory.length === 0) return <p class="none">The frame has no memory yet.</p>
  const at = active.value === undefined ? undefined : Math.min(active.value, memory.length - 1)
  const word = (at ?? 0) - ((at ?? 0) % 32)
  const who = () => {
    if (at !== undefined) void debug.goToWriter({ kind: 'memory', offset: at })
  }
  const copy = async () => {
    debug.answer.value = await copyText(formatData(memory.subarray(word, word + 32)))
  }
  return (
    <>
      <ByteGrid
        id="memory"
        label="Memory"
        bytes={memory}
        marks={marks}
        active={at}
        onActive={(offset) => (active.value = offset)}
        onKey={({ key }) => {
          if (key !== 'w' || at === undefined) return false
          who()
          return true
        }}
      />
      <div class="pane-foot">
        <span class="muted">
          {memory.length} bytes{describe(describeMarks(marks))}
        </span>
        {at !== undefined && (
          <>
            <button type="button" class="button" onClick={who}>
              Find writer of byte {formatOffset(at)}?
            </button>
            <button type="button" class="button" onClick={() => void copy()}>
              Copy word {formatOffset(word)}
            </button>
          </>
        )}
      </div>
    </>
  )
}

function describe(marks: string): string {
  return marks === '' ? '' : `; ${marks}`
}
