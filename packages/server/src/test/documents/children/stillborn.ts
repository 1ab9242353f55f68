/** A child of the extractor that ends before it has sent anything. */
process.exit(7);
