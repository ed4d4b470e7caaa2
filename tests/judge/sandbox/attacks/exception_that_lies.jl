# tries: exceptions whose properties, text and length lie or loop | got through if: the judge hangs or breaks
# must not end as: timed_out, died
struct Liar <: Exception
    msg::Any
end
Base.getproperty(liar::Liar, name::Symbol) = while true end
Base.show(io::IO, liar::Liar) = ccall(:_exit, Cvoid, (Cint,), 0)
Base.showerror(io::IO, liar::Liar) = while true end
Base.nameof(::Type{Liar}) = :Passed
Base.string(liar::Liar) = while true end
answer(x) = throw(Liar(Liar("x")))
