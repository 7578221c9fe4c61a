import { expect, test } from 'vitest'
import { lineCounter } from '../../src/views/review/diff-size.ts'

const DIFF = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 same
-old
--- old with dashes
+++ new with pluses
+new
+
\\ No newline at end of file
diff --git a/b.bin b/b.bin
index 3..4
Binary files differ
diff --git a/c.txt b/c.txt
new file mode 100644
--- /dev/null
+++ b/c.txt
@@ -0,0 +1 @@
+diff --git of a text
`

test('the lines of a diff are counted without the names of files, however it arrives in pieces', () => {
  for (const size of [1, 7, 10_000]) {
    const counter = lineCounter()
    const bytes = Buffer.from(DIFF)
    for (let at = 0; at < bytes.length; at += size) counter.take(bytes.subarray(at, at + size))
    expect(counter.size()).toEqual({ added: 4, removed: 2 })
  }
})
