import { safeText } from '../decode/format/safe-text.ts'
import { useExplorer } from '../explorer-context.ts'

/** Which node is asked, and what decodes. */
export function PageFooter() {
  const { node, knowledge } = useExplorer()
  const files = knowledge.files.value
  return (
    <footer class="page-footer">
      <span>
        {node.value === undefined ? 'No node is asked' : `Node: ${node.value.reader.name}`}. No
        other server is asked for anything.
      </span>
      {files.map((file) => (
        <span key={file.name}>
          Decoding with {safeText(file.name)}{' '}
          <button
            type="button"
            class="text-button"
            aria-label={`Forget ${safeText(file.name)}`}
            onClick={() => knowledge.remove(file)}
          >
            forget
          </button>
        </span>
      ))}
    </footer>
  )
}
