"""What a release can be asked for once it is there: sums, a table, a picture, a document, counts that sum to the rows."""
