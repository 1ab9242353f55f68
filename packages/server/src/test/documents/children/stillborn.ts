/** This child of the extractor ends before it has sent anything. */
process.exit(7);
