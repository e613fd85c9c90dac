/** Errors of models and their evaluation by code: what happened, and what to do. */
export const VALUATION_ERRORS = {
  avm_not_solvable: [
    'The equations of the hedonic model cannot be solved.',
    'Check the sales for non-finite values; the penalties must be above 0.',
  ],
  avm_artefact: [
    'The bytes of a valuation model are damaged or have another layout.',
    'Retrain the model, or use a complete copy of the artefact.',
  ],
  evaluate_map: [
    'The map of a sales file is not valid, or names columns that the file lacks.',
    'Correct the map as the message says; config/maps/ has an example.',
  ],
  evaluate_option: ['A flag of evaluate is out of range.', 'Correct the flag that the message names.'],
  evaluate_not_stored: [
    'The database has no sales or rents of matched properties to evaluate the valuation on.',
    'Refresh with a dataset of sales or listings, or give a file with --sales and --map.',
  ],
  evaluate_few_sales: [
    'Too few valid sales before or after the split to train and test a model.',
    'Check why rows were excluded; correct the map or use a larger file.',
  ],
  bad_evidence: [
    'The file given to refresh --evidence is not in the format that export --evidence writes.',
    'Export it again from the database whose models you want.',
  ],
  no_evidence: [
    'No model has been trained on sales or rents, so there are no training sales to export.',
    'Refresh with a dataset of sales or listings first.',
  ],
} as const;
