s/watchmen(N, Reports)/watchmen(0, N, Reports, [])/
s/^watchmen(0, Rs) :- Rs = \[\]\./watchmen(I, J, Rs, End) :- J - I =:= 1 | Rs = [R|End], look(6, J, R)./
s/^watchmen(N, Rs) :- .*/watchmen(I, J, Rs, End) :- J - I > 1, M := (I + J) \/\/ 2 |\n    watchmen(I, M, Rs, Rs1), watchmen(M, J, Rs1, End)./
