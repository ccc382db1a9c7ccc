import { FileButton } from '../frame/file-button.tsx'

/** Shown for a link to a bundle from a file: the file is needed again. */
export function FileNeeded() {
  return (
    <>
      <h1>This view needs its bundle</h1>
      <p>
        The link names a view of a bundle that was opened from a file, and the bundle was too large
        for the link. Drop the same file on this page, or choose it: the view stays the same.
      </p>
      <FileButton />
    </>
  )
}
