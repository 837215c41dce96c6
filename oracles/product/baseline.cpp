// The product for every processor that the program runs on.
#define ASSAY_PATH baseline
#define ASSAY_PATH_NAME "baseline"
#define Eigen Eigen_baseline
#include "oracles/product/eigen_product.hpp"
