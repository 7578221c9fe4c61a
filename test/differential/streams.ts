/** What the commands of this process write and read, in the place of its standard streams. */
export const streams = { out: '', err: '', input: '' }
