/** A child of the extractor that ends before it has said a word. */
process.exit(7);
