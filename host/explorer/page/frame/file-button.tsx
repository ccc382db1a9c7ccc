import { useRef } from 'preact/hooks'
import { useExplorer } from '../state/explorer-context.ts'

/** Opens files without drag and drop. */
export function FileButton() {
  const explorer = useExplorer()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class="button" onClick={() => input.current?.click()}>
        Open file…
      </button>
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        aria-label="Files to open: bundles, ABIs, compiler output"
        tabIndex={-1}
        multiple
        onChange={(event) => {
          explorer.openFiles([...(event.currentTarget.files ?? [])])
          // The same file may be chosen again.
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
